import fc from 'fast-check'

/** First and last of the code points that are no characters. */
const SURROGATES = [0xd800, 0xdfff] as const
const SURROGATES_COUNT = SURROGATES[1] - SURROGATES[0] + 1

/**
 * A code point of Unicode, as fast-check's own unit `binary`, which first makes a table of all 1.1 million: the better
 * part of a second in each process.
 */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES_COUNT })
  .map((n) => String.fromCodePoint(n < SURROGATES[0] ? n : n + SURROGATES_COUNT))
