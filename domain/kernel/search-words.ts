/** How what people write is found again: whatever the case and the accents. */

/** Words of one search; what comes after them narrows it no further. */
const WORDS_MAX = 10

/** As it is searched. */
export const foldedText = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

/** The words of a search, folded; all of them have to be found. */
export const wordsOf = (query: string): string[] =>
  [...new Set(foldedText(query).split(/\s+/u))].filter((word) => word !== '').slice(0, WORDS_MAX)
