"""The conformance kit: does a source keep the promises of every source, whatever the files hold?

It may import `answers` and `draw`, and what lies below.

Give it a source and a folder of homes as the agent leaves them (`<name>/home/…`):

    from pollux.testing import Subject, cases

    MINE = Subject(source=my_package.SOURCE)

    @pytest.mark.parametrize("case", cases(MINE, Path("tests/homes")), ids=str)
    def test_promise(case):
        case.check()

The promises, each tried in every file of every home:

- *cut*: the file ends after any byte. Everything complete before the cut is still served.
- *odd*: any value is replaced by another type, a huge number, a long string, half a surrogate. Nothing raises, and
  neither the odd value nor anything else is lost.
- *planted*: an unknown key is added to any object. It is kept, and the doctor names it once, with the file.
- *lost*: every word of every file of a session stands in the JSON of a session.
- *others*: a damaged file does no harm to the sessions of other files.
- *offers*: the source implements each capability (`pollux.sources.capabilities`) completely, or not at all.

If a word may be missing for a good reason, the subject lists it in a table, with the reason.
"""

from pollux.testing.bench import Failure
from pollux.testing.capabilities import undeclared
from pollux.testing.cases import Case, cases
from pollux.testing.subject import Frame, Open, Spare, Subject

__all__ = ["Case", "Failure", "Frame", "Open", "Spare", "Subject", "cases", "undeclared"]
