import { partingText } from '../../../adapters/audit/known-heads.ts'
import type { LineReadings, UnreadLine } from '../../../adapters/audit/line-readings.ts'
import type { TrustedKeys } from '../../../adapters/audit/trusted-keys.ts'
import type { LogVerification } from '../../../adapters/audit/verify.ts'
import { wordsFor } from '../../../adapters/audit/wrong.ts'
import { countText } from '../../books/replaying.ts'
import type { Output } from '../../console/output.ts'
import { type Tail, tailText } from './unsealed.ts'

/** What a look at a log has found. */
export type Findings = {
  readonly verified: LogVerification
  readonly keys: TrustedKeys
  readonly unbalanced: readonly string[]
  readonly unsealed: Tail
  /** Why it is not sealed as it should be. */
  readonly fault: string | undefined
  /** Number of heads that it was compared with. */
  readonly heads: number
  /** The events that the ledger does not read; they are under the seals like all others. */
  readonly readings: Pick<LineReadings, 'foreign' | 'unread'>
  readonly wish: { readonly checkpoint?: string }
}

/** Tells everything that was found, and what such a look cannot know. */
export const tellVerified = (out: Output, findings: Findings): Promise<void> =>
  out.tell(resultOf(findings), linesOf(findings).join('\n'))

const resultOf = ({ verified, keys, unbalanced, unsealed, fault, heads, readings, wish }: Findings) => {
  const { end, seals, edge, wrong, parting } = verified
  return {
    whole: !wrong && !fault && unbalanced.length === 0,
    events: end,
    sealed: edge?.head.size ?? 0,
    unsealed: unsealed.events,
    unsealed_seconds: unsealed.seconds ?? null,
    seals,
    head: edge?.head ?? null,
    heads_known: heads,
    keys: keys.list(),
    wrong: wrong ? { ...wrong, words: wordsFor(wrong) } : null,
    parting: parting ? partingValue(parting) : null,
    not_sealed: fault ?? null,
    balanced: wrong ? null : unbalanced.length === 0,
    unbalanced,
    foreign_events: readings.foreign(),
    unreadable_events: readings.unread().count,
    unreadable: readings.unread().named,
    checkpoint: fault ? null : (wish.checkpoint ?? null),
  }
}

const partingValue = (parting: NonNullable<LogVerification['parting']>) => {
  const { known, why, root, end, from, to } = parting
  const { size, source } = known
  return { why, size, source, root: known.root, root_found: root ?? null, end, from, to, words: partingText(parting) }
}

const linesOf = ({ verified, keys, unbalanced, unsealed, fault, heads, readings }: Findings): string[] => {
  const { end, seals, edge, wrong, parting } = verified
  const sealed = edge?.head.size ?? 0
  const lines: string[] = []
  if (wrong) {
    const place = wrong.order === undefined ? `event ${wrong.index}` : `event ${wrong.index}, position ${wrong.order}`
    lines.push(`NOT WHOLE: ${place}: ${wordsFor(wrong)}.`)
    if (parting) lines.push(`NOT CONTAINED: ${partingText(parting)}.`)
    lines.push(`${countText(sealed, 'event')} before it are proved by ${countText(seals, 'seal')}.`)
  } else {
    lines.push(fault ? `NOT SEALED: ${fault}.` : 'The log is what was sealed.')
    lines.push(`${countText(end, 'event')}, ${sealed} under ${countText(seals, 'seal')}.`, tailText(unsealed))
    lines.push(headsText(heads))
  }
  if (edge) lines.push(`Head ${edge.head.size}  ${edge.head.root}  sealed ${edge.head.sealedAt} by ${edge.head.keyId}`)
  for (const { keyId, publicKey, pinned } of keys.list())
    lines.push(`Key ${keyId}  ${publicKey}${pinned ? '' : '  (taken from the log)'}`)
  if (!wrong)
    lines.push(unbalanced.length > 0 ? `NOT BALANCED: ${unbalanced.join(', ')}.` : 'Every asset sums to zero.')
  return [...lines, ...unreadTexts(readings)]
}

const unreadTexts = ({ foreign, unread }: Findings['readings']): string[] => {
  const { count, named } = unread()
  const others = foreign()
  return [
    ...(others > 0 ? [`${countText(others, 'event')} of other programs, which the ledger passes over.`] : []),
    ...named.map(unreadText),
    ...(count > named.length ? [`${count - named.length} more events cannot be read.`] : []),
  ]
}

const unreadText = ({ index, id, stream, revision, type, fault, aside }: UnreadLine): string =>
  `NOT READ: event ${index}, ${type} in ${stream} at revision ${revision}: ${fault}. ${
    aside ? `Set aside by ${aside.by}: ${aside.reason}.` : `daybook events quarantine ${id} --reason "…" sets it aside.`
  }`

const headsText = (heads: number): string =>
  heads === 0
    ? 'No head was brought along or remembered: nothing tells whether the log was cut, or written anew by its own keys.'
    : `It contains ${heads === 1 ? 'the head that is' : `all ${heads} heads that are`} known.`
