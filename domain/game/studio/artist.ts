import type { Vault } from '../../kernel/ports.ts'
import type { Sitter } from '../members/stakes.ts'
import type { Job } from './job.ts'
import { optsFrom, type WorkOptions } from './options.ts'

/**
 * Draws a work of the studio. The same work has to be drawn the same for ever, because no picture is kept: it is drawn
 * again from the order whenever somebody looks at it.
 */
export type Artist = {
  /**
   * Draws an SVG document that loads nothing else. It may reject, and may never end: whoever asks waits only for a
   * limited time.
   */
  draw(work: Work): Promise<string>
}

/** `jobId` makes two works of the same order two pictures. */
export type Work = {
  readonly jobId: string
  readonly slug: string
  readonly opts: WorkOptions
  readonly sitter: Sitter
}

/** The most characters of a picture. */
const SVG_MAX_CHARACTERS = 65_536

/** The elements of a picture: shapes and words, and nothing that fetches or runs. */
const ELEMENTS = /<\/?(?:svg|title|g|clipPath|path|rect|circle|ellipse|text)(?: [a-z][A-Za-z-]*="[^"<>]*")* ?\/?>/g
const NOT_SHOWN = / (?:on[a-z]*|href|style)="|url\((?!#)/i

/** Whether an artist's answer is a picture. Whoever shows it has it sandboxed besides. */
export const isPicture = (drawn: unknown): drawn is string =>
  typeof drawn === 'string' &&
  drawn.length <= SVG_MAX_CHARACTERS &&
  drawn.startsWith('<svg xmlns="http://www.w3.org/2000/svg"') &&
  drawn.endsWith('</svg>') &&
  !/[<>]/.test(drawn.replaceAll(ELEMENTS, '')) &&
  !drawn.match(ELEMENTS)?.some((element) => NOT_SHOWN.test(element))

/** The work that was ordered, with its options opened; undefined when its member was erased. */
export const workOf = async (
  { vault }: { vault: Pick<Vault, 'open'> },
  jobId: string,
  { slug, opts, sitter }: Job,
): Promise<Work | undefined> => {
  const text = await vault.open(opts)
  return text === undefined ? undefined : { jobId, slug, sitter, opts: optsFrom(text) }
}
