import type { Vault } from '../../kernel/ports.ts'
import type { Sitter } from '../members/stakes.ts'
import type { Job } from './job.ts'
import { optsFrom, type WorkOptions } from './options.ts'

/**
 * Draws a work of the studio. What it once drew it draws the same for ever, because the picture is drawn again from the
 * order whenever somebody looks at it: no picture is kept.
 */
export type Artist = {
  /**
   * An SVG document that shows itself and nothing else. May reject, and may take for ever: who asks waits only so long.
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

/** Longer ones are no picture. */
const SVG_MAX_CHARACTERS = 65_536

/** What a picture is made of: shapes and words, and nothing that fetches or runs. */
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

/** What was ordered, opened; undefined when its member was erased. */
export const workOf = async (
  { vault }: { vault: Pick<Vault, 'open'> },
  jobId: string,
  { slug, opts, sitter }: Job,
): Promise<Work | undefined> => {
  const text = await vault.open(opts)
  return text === undefined ? undefined : { jobId, slug, sitter, opts: optsFrom(text) }
}
