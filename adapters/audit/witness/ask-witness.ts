import type { SignedCheckpoint } from '../../../domain/audit/cosignatures.ts'
import type { Exchange } from '../../outbound/signed-post.ts'
import type { Hash } from '../hash.ts'
import { addCheckpointBody } from './add-checkpoint.ts'
import { checkpointText, cosignedAt, sizeIn } from './checkpoint.ts'
import { checkpointNote } from './log-note.ts'
import { signatureLine, signaturesBy, signaturesIn, type VerifierKey } from './note.ts'

/** Asks a witness to sign a head of our log (c2sp.org/tlog-witness). */

/** One entry of the setting WITNESSES. */
export type WitnessAddress = {
  /** The submission prefix, without a slash at its end. */
  readonly url: string
  readonly key: VerifierKey
}

export type WitnessVerdict =
  /** The signature line to put below the note, and the time in Unix seconds. */
  | { readonly kind: 'cosigned'; readonly line: string; readonly time: number }
  /** The witness has seen another history of this log; `seen` is the size that it told, if it did. */
  | { readonly kind: 'refused'; readonly reason: 'larger' | 'parted'; readonly seen: number | null }
  /** Nothing is known: it may be asked again later. */
  | { readonly kind: 'failed'; readonly why: string }

export type WitnessContact = {
  readonly exchange: Exchange
  /** The consistency proof (RFC 6962 §2.1.2); undefined while it cannot be made yet. */
  proof(from: number, size: number): Promise<readonly Hash[] | undefined>
}

/** Answers after which it is left for later: two witnesses of one key behind an address may tell different sizes. */
const TRIES_MAX = 3
const ANSWER_BYTES_MAX = 16_384

/** @param old the size that the witness has signed last, as far as we know; it corrects us when it knows better */
export const askWitness = async (
  asking: WitnessContact,
  witness: WitnessAddress,
  checkpoint: SignedCheckpoint,
  old: number,
): Promise<WitnessVerdict> => {
  let from = old
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const proof = from === 0 ? [] : await asking.proof(from, checkpoint.size)
    if (!proof) return { kind: 'failed', why: 'the proof cannot be made yet' }
    const body = addCheckpointBody({ old: from, proof, note: checkpointNote(checkpoint) })
    const answer = await asking.exchange(`${witness.url}/add-checkpoint`, body, NOTE_TYPE, ANSWER_BYTES_MAX)
    const text = answer.body.toString()
    if (answer.status === 200) return cosignatureIn(text, checkpoint, witness.key)
    if (answer.status === 422) return { kind: 'refused', reason: 'parted', seen: from }
    if (answer.status !== 409) return { kind: 'failed', why: whyOf(answer.status, answer.reason) }
    const seen = text.endsWith('\n') ? sizeIn(text.slice(0, -1)) : undefined
    if (seen === undefined) return { kind: 'failed', why: 'it answered 409 without a size' }
    if (seen > checkpoint.size) return { kind: 'refused', reason: 'larger', seen }
    // The witness has signed a head of this size with another root.
    if (seen === from && seen === checkpoint.size) return { kind: 'refused', reason: 'parted', seen }
    if (seen === from) return { kind: 'failed', why: 'it answered 409 with the size that it was sent' }
    from = seen
  }
  return { kind: 'failed', why: 'it tells another size each time' }
}

const NOTE_TYPE = 'text/plain; charset=utf-8'

/** Passes over signatures by other keys, because nothing here can vouch for them. */
const cosignatureIn = (text: string, checkpoint: SignedCheckpoint, key: VerifierKey): WitnessVerdict => {
  const signatures = signaturesIn(text) ?? []
  const time = cosignedAt({ text: checkpointText(checkpoint), signatures }, key)
  if (time === undefined) return { kind: 'failed', why: 'its answer holds no good signature by its key' }
  const lines = signaturesBy({ signatures }, key).map(({ bytes }) => signatureLine(key, bytes))
  return { kind: 'cosigned', line: lines.at(-1) ?? '', time }
}

const whyOf = (status: number | undefined, reason: string | undefined): string =>
  status === undefined
    ? `no answer: ${reason}`
    : ((WORDS as Readonly<Record<number, string>>)[status] ?? `it answered ${status}`)

const WORDS = {
  400: 'it answered 400: it cannot read what was sent',
  403: 'it answered 403: it does not know the key of this log',
  404: 'it answered 404: it does not know the origin of this log',
} as const
