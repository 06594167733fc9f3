"""How to go on with a session, and why that is not possible: each reason has its sentence, and names what works."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from pollux import Filter
from pollux.errors import CannotResume, NotFound, RequestError, StoreError, UnknownName
from pollux.library.resume.plan import ResumePlan
from pollux.sources.qwen.resume_command import project_id
from tests.resumable import IDS, OTHER_ID, Desk

CORPUS = Path(__file__).parents[3] / "corpus"
AGENTS = sorted(IDS)
HOMES = {"claude": "CLAUDE_CONFIG_DIR", "codex": "CODEX_HOME", "gemini": "GEMINI_CLI_HOME"}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    for agent in AGENTS:
        desk.install(agent)
    return desk


@pytest.fixture(autouse=True)
def noon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLLUX_NOW", "2026-11-15T12:00:00Z")


def refused(desk: Desk, name: str, **options: Any) -> CannotResume:
    """The error of a plan that cannot be made."""
    with pytest.raises(CannotResume) as caught:
        desk.library().resume.plan(name, **options)
    return caught.value


def commands(hint: str | None) -> list[str]:
    """The commands of pollux that a hint names."""
    return [piece.split(",")[0].split(";")[0] for piece in (hint or "").split("pollux ")[1:]]


# ------------------------------------------------------------------------------------ what it runs

PLAIN = {
    "claude": ("claude", "--resume", IDS["claude"]),
    "codex": ("codex", "resume", IDS["codex"]),
    "gemini": ("gemini", "--resume", IDS["gemini"]),
}


@pytest.mark.parametrize("agent", AGENTS)
def test_the_command_of_each_agent(desk: Desk, agent: str) -> None:
    files = desk.furnish()
    plan = desk.library().resume.plan(IDS[agent][:8], arguments=("--model", "x y"))
    assert plan.words == (*PLAIN[agent], "--model", "x y")
    assert plan.folder == str(desk.project)
    assert plan.environ == {}
    assert plan.program == str(desk.bin / agent)
    assert plan.files == (str(files[agent]),)
    assert (plan.fork, plan.opened, plan.warnings) == (False, None, ())
    assert plan.line == f"cd {desk.project} && {shlex.join(plan.words)}"
    plan.require_ready()


def test_the_settings_have_more_arguments_for_each_agent(desk: Desk) -> None:
    desk.furnish()
    settings = Path(desk.library().resume._places.settings)
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text('[resume.args]\nclaude = ["--model", "x y"]\ncodex = []\n', "utf-8")
    plan = desk.library().resume.plan(IDS["claude"][:8], arguments=("--verbose",))
    assert plan.words == (*PLAIN["claude"], "--model", "x y", "--verbose")
    assert plan.line.endswith("--model 'x y' --verbose")
    assert desk.library().resume.plan(IDS["codex"][:8]).words == PLAIN["codex"]
    assert desk.library().resume.plan(IDS["gemini"][:8]).words == PLAIN["gemini"]
    settings.write_text('[resume.args]\nclaud = ["-v"]\n', "utf-8")
    with pytest.raises(RequestError, match="'claud', which is no agent") as caught:
        desk.library().resume.plan(IDS["claude"][:8])
    assert caught.value.hint == "Did you mean: claude?"


@pytest.mark.parametrize("agent", AGENTS)
def test_a_copy_leaves_the_session_as_it_is(desk: Desk, agent: str) -> None:
    files = desk.furnish()
    plan = desk.library().resume.plan(IDS[agent], fork=True)
    assert plan.fork
    assert (
        plan.words
        == {
            "claude": (*PLAIN["claude"], "--fork-session"),
            "codex": ("codex", "fork", IDS["codex"]),
            "gemini": ("gemini", "--session-file", str(files["gemini"])),
        }[agent]
    )


@pytest.mark.parametrize("agent", AGENTS)
def test_in_another_folder(desk: Desk, agent: str) -> None:
    """Gemini CLI resumes only in the project's own folder, and elsewhere loads the file: that is a copy."""
    files = desk.furnish()
    plan = desk.library(desk.project).resume.plan(IDS[agent], folder="../other")
    assert plan.folder == str(desk.elsewhere)
    assert (
        plan.words
        == {
            "claude": PLAIN["claude"],
            "codex": (*PLAIN["codex"], "-C", str(desk.elsewhere)),
            "gemini": ("gemini", "--session-file", str(files["gemini"])),
        }[agent]
    )
    assert (plan.fork, bool(plan.warnings)) == ((True, True) if agent == "gemini" else (False, False))


@pytest.mark.parametrize("agent", AGENTS)
def test_a_link_to_the_same_folder_is_no_other_folder(desk: Desk, agent: str) -> None:
    desk.furnish()
    (desk.home / "link").symlink_to(desk.project)
    plan = desk.library().resume.plan(IDS[agent], folder=str(desk.home / "link"))
    assert (plan.words, plan.folder, plan.fork) == (PLAIN[agent], str(desk.project), False)


@pytest.mark.parametrize("agent", AGENTS)
def test_another_home_is_named_by_the_agents_own_variable(desk: Desk, agent: str) -> None:
    home = desk.home / "an other home"
    desk.furnish(**{HOMES[agent]: home})
    plan = desk.library(environ={HOMES[agent]: str(home)}).resume.plan(IDS[agent])
    assert plan.environ == {HOMES[agent]: str(home)}
    assert plan.line == f"cd {desk.project} && {HOMES[agent]}='{home}' {shlex.join(PLAIN[agent])}"
    assert plan.environment({"A": "b"}) == {"A": "b", HOMES[agent]: str(home), "PWD": str(desk.project)}


@pytest.mark.parametrize(
    ("agent", "variable", "place"),
    [
        ("claude", "CLAUDE_PROJECTS_DIR", ".claude/projects"),
        ("codex", "CODEX_SESSIONS_DIR", ".codex/sessions"),
        ("gemini", "POLLUX_GEMINI_DIR", ".gemini/tmp"),
    ],
)
def test_a_variable_that_leads_the_agent_away_is_taken_out(desk: Desk, agent: str, variable: str, place: str) -> None:
    desk.furnish()
    elsewhere = {HOMES[agent]: str(desk.elsewhere), variable: str(desk.home / place)}
    plan = desk.library(environ=elsewhere).resume.plan(IDS[agent])
    assert plan.environ == {HOMES[agent]: None}
    assert plan.line == f"cd {desk.project} && env -u {HOMES[agent]} {shlex.join(PLAIN[agent])}"
    assert HOMES[agent] not in plan.environment(elsewhere)


@pytest.mark.parametrize(
    ("agent", "variable"),
    [("claude", "CLAUDE_PROJECTS_DIR"), ("codex", "CODEX_SESSIONS_DIR"), ("gemini", "POLLUX_GEMINI_DIR")],
)
def test_a_folder_to_which_no_variable_leads(desk: Desk, agent: str, variable: str) -> None:
    files = desk.furnish()
    root = {
        "claude": files["claude"].parents[1],
        "codex": files["codex"].parents[2],
        "gemini": files["gemini"].parents[2],
    }
    root[agent].rename(desk.home / "backup")
    with pytest.raises(CannotResume, match="cannot be told to look in") as caught:
        desk.library(environ={variable: str(desk.home / "backup")}).resume.plan(IDS[agent])
    assert caught.value.reason == "home"


def test_a_session_that_is_named_by_the_path_of_its_file(desk: Desk) -> None:
    for agent, file in desk.furnish().items():
        assert desk.library().resume.plan(str(file)).words == PLAIN[agent]


def test_last_is_the_newest_of_all(desk: Desk) -> None:
    desk.furnish()
    newest = desk.library().list(limit=1)[0].summary
    assert desk.library().resume.plan("last").session.key == newest.key


# ------------------------------------------------------------------------------------ without a key


def test_the_session_that_was_last_used_here(desk: Desk) -> None:
    desk.claude(desk.home / ".claude")
    desk.claude(desk.home / ".claude", id=OTHER_ID, project=desk.elsewhere)
    below = desk.project / "src" / "deep"
    below.mkdir(parents=True)
    for here in (desk.project, below):
        assert desk.library(here).resume.last_here().id == IDS["claude"]
    assert desk.library(desk.elsewhere).resume.last_here().id == OTHER_ID
    with pytest.raises(NotFound, match="No session was held in"):
        desk.library(desk.bin).resume.last_here()


def test_a_session_in_the_home_itself_is_not_meant_everywhere_below(desk: Desk) -> None:
    desk.claude(desk.home / ".claude", project=desk.home)
    (desk.home / "code").mkdir()
    assert desk.library(desk.home).resume.last_here().id == IDS["claude"]
    with pytest.raises(NotFound):
        desk.library(desk.home / "code").resume.last_here()


# ------------------------------------------------------------------------------------ what is in the way


def test_a_folder_that_is_gone(desk: Desk) -> None:
    desk.furnish()
    shutil.rmtree(desk.project)
    for agent in AGENTS:
        error = refused(desk, IDS[agent])
        assert error.reason == "folder"
        assert str(error) == f"The folder {desk.project} is gone."
        assert commands(error.hint) == [
            f"resume {agent}:{IDS[agent]} --in DIR",
            f"rehome {desk.project} NEW --in-place",
        ]
        desk.library().resume.plan(IDS[agent], folder=str(desk.elsewhere))


def test_a_folder_that_is_gone_and_an_agent_that_goes_on_in_no_other_one(desk: Desk) -> None:
    shutil.copytree(CORPUS / "qwen" / "0.24.4" / "home", desk.home, dirs_exist_ok=True)
    place = desk.home / "gone" / "weather"
    for file in desk.home.rglob("*.jsonl"):
        file.write_text(file.read_text("utf-8").replace("/home/ada/code/weather", str(place)), "utf-8")
    chats = desk.home / ".qwen" / "projects" / "-home-ada-code-weather"
    chats.rename(chats.with_name(project_id(str(place))))
    key = next(entry.summary.key for entry in desk.library().list(Filter(project=str(place))))
    error = refused(desk, key)
    assert error.reason == "elsewhere"
    assert f"{place} is gone, and Qwen Code resumes" in str(error)
    assert f"mkdir -p {place};" in (error.hint or "")
    assert commands(error.hint) == [f"handoff {key} --to qwen --in DIR"]
    elsewhere = refused(desk, key, folder=str(desk.elsewhere))
    assert commands(elsewhere.hint) == [f"handoff {key} --to qwen --in {desk.elsewhere}"]
    desk.library().handoff.plan(key, "qwen", folder=str(desk.elsewhere))
    place.mkdir(parents=True)
    assert desk.library().resume.plan(key).folder == str(place)


def test_a_folder_to_go_on_in_must_exist(desk: Desk) -> None:
    desk.furnish()
    with pytest.raises(RequestError, match="nowhere is not a folder"):
        desk.library().resume.plan(IDS["claude"], folder="nowhere")


@pytest.mark.parametrize("agent", ["claude", "codex"])
@pytest.mark.parametrize("path", ["\\u0000", "\\ud800"])
def test_a_folder_that_no_system_can_have(desk: Desk, agent: str, path: str) -> None:
    file = desk.furnish()[agent]
    file.write_text(file.read_text().replace(f'"cwd": "{desk.project}"', f'"cwd": "{desk.project}{path}"'))
    assert refused(desk, IDS[agent]).reason == "folder"
    assert desk.library().resume.plan(IDS[agent], folder=str(desk.project)).folder == str(desk.project)
    assert desk.library().handoff.plan(IDS[agent], "codex", folder=str(desk.project)).folder == str(desk.project)
    with pytest.raises(CannotResume, match="is not a folder"):
        desk.library().resume.plan(IDS[agent], folder="a\0b")


def test_a_folder_that_nobody_knows(desk: Desk) -> None:
    file = desk.gemini(desk.home / ".gemini")
    (file.parents[1] / ".project_root").unlink()
    file.parents[1].rename(file.parents[2] / "0123")
    assert refused(desk, IDS["gemini"]).reason == "folder"
    assert desk.library().resume.plan(IDS["gemini"], folder=str(desk.elsewhere)).fork


def test_a_project_that_was_moved(desk: Desk) -> None:
    """Where only pollux knows of the move, the agents' files still name the old folder."""
    desk.furnish()
    old, new = str(desk.project), str(desk.project.with_name("rain"))
    desk.project.rename(new)
    desk.library().rehome.show(old, new)
    moved = {agent: desk.library().resume.plan(IDS[agent]) for agent in AGENTS}
    assert {plan.folder for plan in moved.values()} == {new}
    assert moved["claude"].words == PLAIN["claude"]
    assert moved["codex"].words == (*PLAIN["codex"], "-C", new)
    assert moved["gemini"].fork


def test_a_project_that_was_moved_in_the_agents_files_too(desk: Desk) -> None:
    desk.furnish()
    old, new = str(desk.project), str(desk.project.with_name("rain"))
    desk.project.rename(new)
    desk.library().rehome.carry_out(old, new)
    for agent in ("claude", "gemini"):
        plan = desk.library().resume.plan(IDS[agent])
        assert (plan.words, plan.folder, plan.fork) == (PLAIN[agent], new, False)


@pytest.mark.parametrize("agent", AGENTS)
def test_a_program_that_is_not_installed(desk: Desk, agent: str) -> None:
    desk.furnish()
    (desk.bin / agent).unlink()
    plan = desk.library().resume.plan(IDS[agent])
    assert plan.program is None
    with pytest.raises(CannotResume, match="is not installed here") as caught:
        plan.require_ready()
    assert caught.value.reason == "program"
    assert caught.value.hint == f"Where it is: {plan.line}"


def test_a_program_that_only_an_alias_of_the_shell_names(desk: Desk) -> None:
    desk.furnish()
    place = desk.home / ".claude" / "local" / "claude"
    place.parent.mkdir(parents=True)
    (desk.bin / "claude").rename(place)
    assert desk.library().resume.plan(IDS["claude"]).program == str(place)


@pytest.mark.parametrize("agent", AGENTS)
def test_a_session_that_only_pollux_kept(desk: Desk, agent: str) -> None:
    """The command that the hint names brings the files back, and then it can be resumed."""
    file = desk.furnish()[agent]
    keeping = desk.library()
    keeping.archive.on()
    keeping.sync()
    before = file.read_bytes()
    file.unlink()
    error = refused(desk, IDS[agent])
    assert error.reason == "kept"
    key = f"{agent}:{IDS[agent]}"
    assert commands(error.hint) == [f"recover {key} --in-place", f"resume {key}"]
    again = desk.library()
    rebuilt = again.recover.rebuild(again.session(key))
    again.archive.restore(again.recover.plan(rebuilt, None))
    assert file.read_bytes() == before
    assert desk.library().resume.plan(key).words == PLAIN[agent]


def test_files_that_hold_less_than_what_pollux_kept(desk: Desk) -> None:
    file = desk.claude(desk.home / ".claude")
    keeping = desk.library()
    keeping.archive.on()
    keeping.sync()
    file.write_text(file.read_text().splitlines(keepends=True)[0])
    plan = desk.library().resume.plan(IDS["claude"])
    assert plan.words == PLAIN["claude"]
    assert plan.files == (str(file),)
    assert [warning for warning in plan.warnings if "pollux recover" in warning]


def test_a_file_in_no_agents_folder(desk: Desk) -> None:
    file = desk.furnish()["claude"]
    place = Path(shutil.move(file, desk.elsewhere))
    assert refused(desk, str(place)).reason == "home"


def test_a_name_that_no_session_has(desk: Desk) -> None:
    desk.furnish()
    with pytest.raises(UnknownName):
        desk.library().resume.plan("claude:nothing")


KINDS = [("gemini/0.61.0", "subagent"), ("claude/2.1.325", "subagent"), ("codex/0.166.0", "subagent")]
KINDS += [("gemini/0.44.0-tui", "prompts"), ("gemini/0.30.1-tui", "checkpoint")]


@pytest.mark.parametrize(("home", "kind"), KINDS)
def test_what_is_no_conversation_of_its_own(desk: Desk, home: str, kind: str) -> None:
    shutil.copytree(CORPUS / home / "home", desk.home, dirs_exist_ok=True)
    summaries = [entry.summary for entry in desk.library().list(Filter(everything=True))]
    sessions = [summary for summary in summaries if summary.kind == kind]
    assert sessions
    for session in sessions:
        error = refused(desk, session.key, folder=str(desk.elsewhere))
        assert error.reason == kind
        if kind == "subagent":
            assert error.hint == f"Try: pollux resume {session.parent}"
        elif kind == "prompts":
            assert error.hint == f"Try: pollux show {session.key}"
        else:
            assert (error.hint or "").startswith(f"Start gemini in {desk.elsewhere}, and type: /chat resume ")


OLD = ["0.1.2504172351", "0.1.2505291658", "0.8.0", "0.20.0", "0.29.0"]


@pytest.mark.parametrize("release", [*OLD, "0.34.0", "0.40.0"])
def test_threads_of_releases_that_no_present_one_resumes(desk: Desk, release: str) -> None:
    shutil.copytree(CORPUS / "codex" / release / "home", desk.home, dirs_exist_ok=True)
    for entry in desk.library().list():
        if release in OLD:
            assert refused(desk, entry.summary.key, folder=str(desk.elsewhere)).reason == "format"
        else:
            desk.library().resume.plan(entry.summary.key, folder=str(desk.elsewhere))


def test_a_session_that_was_not_used_for_long(desk: Desk) -> None:
    """Gemini CLI deletes such sessions when it starts."""
    desk.gemini(desk.home / ".gemini", updated="2026-08-01T10:00:00.000Z")
    (warning,) = desk.library().resume.plan(IDS["gemini"]).warnings
    assert warning == "Gemini CLI may delete it when it starts: it was not used for more than 30 days."
    settings = desk.home / ".gemini" / "settings.json"
    settings.write_text('{"general": {"sessionRetention": {"enabled": false}}}')
    assert desk.library().resume.plan(IDS["gemini"]).warnings == ()


class Parrot:
    """A source of somebody else's agent, which only reads."""

    name, title = "parrot", "Parrot"


def test_an_agent_whose_command_nobody_knows(desk: Desk) -> None:
    from pollux.sources.capabilities import program_of, resume_command_of, running_sessions_of

    desk.furnish()
    summary = desk.library().list(limit=1)[0].summary
    request: Any = type("Request", (), {"session": summary})()
    source: Any = Parrot()
    with pytest.raises(CannotResume, match="pollux does not know how Parrot goes on") as caught:
        resume_command_of(source, request)
    assert caught.value.reason == "agent"
    assert program_of(source) is None
    assert running_sessions_of(source, desk.home) == {}


# ------------------------------------------------------------------------------------ what is kept


def kept(desk: Desk, plan: ResumePlan) -> list[tuple[str, str]]:
    asked = desk.library()
    return [(change.change, change.file) for change in asked.archive.history(asked.session(plan.session.key))]


@pytest.mark.parametrize("agent", AGENTS)
def test_the_files_are_kept_though_the_archive_is_off(desk: Desk, agent: str) -> None:
    files = desk.furnish()
    asked = desk.library()
    plan = asked.resume.plan(IDS[agent])
    asked.resume.keep(plan)
    assert kept(desk, plan) == [("new", str(files[agent]))]
    files[agent].write_bytes(b"")
    again = desk.library()
    joined = again.recover.join(again.recover.session(plan.session.key))
    assert [message.text for message in joined.session.messages] == ["Is it raining?", "It is."]


def test_only_these_files_are_kept_and_no_other_is_said_to_be_gone(desk: Desk) -> None:
    desk.furnish()
    other = desk.claude(desk.home / ".claude", id=OTHER_ID)
    keeping = desk.library()
    keeping.archive.run()
    asked = desk.library()
    plan = asked.resume.plan(IDS["claude"])
    for _ in range(2):
        asked.resume.keep(plan)
    assert kept(desk, plan) == [("new", plan.files[0])]
    summary = asked.list(Filter(agent="claude"))
    assert {entry.summary.kept for entry in summary} == {False}
    assert other.exists()


def test_files_of_sub_agents_are_kept_too(desk: Desk) -> None:
    shutil.copytree(CORPUS / "claude" / "2.1.325" / "home", desk.home, dirs_exist_ok=True)
    asked = desk.library()
    child = next(e.summary for e in asked.list(Filter(everything=True)) if e.summary.kind == "subagent")
    plan = asked.resume.plan(str(child.parent), folder=str(desk.elsewhere))
    assert {*child.files} <= {*plan.files}


def test_what_cannot_be_kept_is_not_resumed(desk: Desk) -> None:
    desk.furnish()
    asked = desk.library()
    plan = asked.resume.plan(IDS["claude"])
    data = desk.home.parent / "data" / "pollux"
    data.mkdir(parents=True, exist_ok=True)
    (data / "archive").write_text("no folder")
    with pytest.raises(StoreError):
        asked.resume.keep(plan)


# ------------------------------------------------------------------------------ what nobody may take for a fact


@pytest.mark.parametrize(
    "id",
    ["--yolo", "-r", "1", "latest", "a b", f"{IDS['gemini']} ", f"{IDS['gemini']}-2"],
    ids=["option", "letter", "number", "word", "words", "blank", "suffix"],
)
def test_gemini_is_given_no_id_that_is_none_of_its_own(desk: Desk, id: str) -> None:
    file = desk.gemini(desk.home / ".gemini", id=id)
    (entry,) = desk.library().list()
    error = refused(desk, entry.summary.key)
    assert error.reason == "id"
    assert shlex.split(commands(error.hint)[0]) == ["resume", entry.summary.key, "--fork"]
    copy = desk.library().resume.plan(entry.summary.key, fork=True)
    assert copy.words == ("gemini", "--session-file", str(file))


@pytest.mark.parametrize("agent", ["claude", "codex"])
@pytest.mark.parametrize("id", ["--yolo", "last"])
def test_no_other_agent_is_given_an_id_that_is_none_of_its_own(desk: Desk, agent: str, id: str) -> None:
    file = desk.furnish()[agent]
    file.write_text(file.read_text().replace(IDS[agent], id))
    file.rename(file.with_name(file.name.replace(IDS[agent], id)))
    for entry in desk.library().list(Filter(agent=agent)):
        assert refused(desk, entry.summary.key).reason in ("name", "format")


@pytest.mark.parametrize("id", ["--allow-all-tools", "-c", "a name"])
def test_copilot_is_given_no_id_that_is_none_of_its_own(desk: Desk, id: str) -> None:
    """It takes an option for an option there, and a name for the name of any session."""
    shutil.copytree(CORPUS / "copilot" / "1.0.102" / "home", desk.home, dirs_exist_ok=True)
    folder = next(desk.home.glob(".copilot/session-state/*/events.jsonl")).parent
    for file in filter(Path.is_file, folder.iterdir()):
        file.write_bytes(file.read_bytes().replace(folder.name.encode(), id.encode()))
    folder.rename(folder.with_name(id))
    error = refused(desk, f"copilot:{id}", folder=str(desk.project))
    assert error.reason == "id"
    assert shlex.split(commands(error.hint)[0]) == ["handoff", f"copilot:{id}", "--to", "copilot"]


@pytest.mark.parametrize("agent", ["claude", "codex"])
@pytest.mark.parametrize("path", [".", "weather", "../work/weather"])
def test_a_relative_folder_is_not_known(desk: Desk, agent: str, path: str) -> None:
    file = desk.furnish()[agent]
    file.write_text(file.read_text().replace(f'"cwd": "{desk.project}"', f'"cwd": "{path}"'))
    for here in (desk.home, desk.project, desk.project.parent):
        with pytest.raises(CannotResume, match="is not known") as caught:
            desk.library(here).resume.plan(IDS[agent])
        assert caught.value.reason == "folder"
        plan = desk.library(here).resume.plan(IDS[agent], folder=str(desk.project))
        assert plan.folder == str(desk.project)


def test_a_guessed_folder_is_said_to_be_one(desk: Desk) -> None:
    desk.guessed(desk.home / ".gemini")
    (entry,) = desk.library().list()
    key = entry.summary.key
    assert (entry.summary.project, entry.summary.project_evidence) == (str(desk.elsewhere), "guess")
    plan = desk.library().resume.plan(key)
    sentence = (
        f"The folder {desk.elsewhere} is a guess, from the paths in the session. "
        f"pollux resume {key} --in DIR goes on in another one."
    )
    assert (plan.folder, plan.warnings[0]) == (str(desk.elsewhere), sentence)
    chosen = desk.library().resume.plan(key, folder=str(desk.elsewhere))
    assert sentence not in chosen.warnings


@pytest.mark.parametrize("agent", AGENTS)
def test_files_that_were_deleted_since_the_cache_looked(desk: Desk, agent: str) -> None:
    file = desk.furnish()[agent]
    with desk.library() as library:
        library.sync()
        plan = library.resume.plan(IDS[agent])
    file.unlink()
    with desk.library(fresh=False) as later:
        with pytest.raises(CannotResume, match="just deleted"):
            later.resume.plan(IDS[agent])
        with pytest.raises(CannotResume, match="just deleted"):
            later.resume.keep(plan)
