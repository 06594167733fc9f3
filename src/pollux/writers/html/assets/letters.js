// Letters as pollux compares them everywhere: case, accents, points, wide and composed forms make no difference.
const letters = (() => {
  // A sign that only chooses how an emoji looks is no mark.
  const mark = "(?![\\ufe00-\\ufe0f])[\\p{M}\\u1160-\\u11ff\\uff9e\\uff9f]";
  const units = new RegExp(`(?:[^\\0-\\x7f]|[\\0-\\x7f](?=${mark}))(?:${mark}){0,30}`, "gsu");
  const silent =
    /[\u00ad\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed]/g;
  const accents = /[\u0300-\u036f]/g;
  const western = /^[\0-\u03ff\u1f00-\u1fff]/;
  const whole = { æ: "ae", ð: "d", ø: "o", þ: "th", đ: "d", ħ: "h", ı: "i", ł: "l", ŋ: "n", œ: "oe", ß: "ss", ё: "е" };

  const settle = (unit) => {
    const plain = unit.replace(silent, "");
    if (!/[\p{L}\p{N}]/u.test(plain)) return plain.normalize("NFC");
    let apart = plain.normalize("NFKD").replace(silent, "");
    if (western.test(apart)) apart = apart.replace(accents, "");
    // Up and down again: so ς is σ, and ß is ss.
    const low = Array.from(apart, (letter) => letter.toUpperCase().toLowerCase()).join("");
    const bare = low.normalize("NFKD").normalize("NFC").replace(accents, "");
    return Array.from(bare, (letter) => whole[letter] ?? letter).join("").normalize("NFC");
  };
  const known = new Map();
  const settled = (unit) => {
    let found = known.get(unit);
    if (found === undefined) {
      found = settle(unit);
      if ([...unit].length > 1) found = Array.from(found, (letter) => (letter > "\x7f" ? settle(letter) : letter)).join("");
      known.set(unit, (found = found.toLowerCase()));
    }
    return found;
  };
  const fold = (text) => text.replace(units, settled).toLowerCase();

  // A text folded, and the way back: where in the text a stretch of the folded one stands, in whole characters.
  const read = (text) => {
    const steps = []; // of each character whose length changes: its start and end, folded and as it stands
    let shift = 0;
    const folded = text
      .replace(units, (unit, at) => {
        const found = settled(unit);
        if (found.length !== unit.length) {
          steps.push([at + shift, at + shift + found.length, at, at + unit.length]);
          shift += found.length - unit.length;
        }
        return found;
      })
      .toLowerCase();
    const before = (place) => {
      let [low, high] = [0, steps.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (steps[middle][0] <= place) low = middle + 1;
        else high = middle;
      }
      return steps[low - 1] ?? [0, 0, 0, 0];
    };
    const place = (start, end) => {
      const [, left, first, past] = before(start);
      const [, right, , last] = before(end - 1);
      return [start < left ? first : past + start - left, end - 1 < right ? last : last + end - right];
    };
    return { folded, place };
  };
  return { fold, read };
})();
