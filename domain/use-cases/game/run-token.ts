import type { Run } from '../../game/characters/character-state.ts'
import type { Vault } from '../../kernel/ports.ts'
import { refuse } from '../../kernel/refusal.ts'

/**
 * What a player holds of a run: which one it is, for which link and character, and what was committed to, for everybody
 * to read and for nobody to change. It proves nothing alone: whether the run is still open is for its character to say
 * (G-GAM-02).
 */
export type RunToken = {
  readonly run: string
  readonly link: string
  readonly character: number
  readonly slug: string
  /** Times in milliseconds since 1970. */
  readonly iat: number
  readonly exp: number
  readonly commit: string
}

const PURPOSE = 'game-run-token'
/** Characters that any of them has at most. */
export const TOKEN_MAX = 1_000

/** The same run has the same token each time. */
export const tokenOf = (vault: Vault, character: number, { runId, ...run }: Run & { runId: string }): string => {
  const { linkId: link, slug, startedAt, expiresAt, commit } = run
  const token: RunToken = {
    run: runId,
    link,
    character,
    slug,
    iat: Date.parse(startedAt),
    exp: Date.parse(expiresAt),
    commit,
  }
  const text = btoa(JSON.stringify(token)).replaceAll('=', '')
  return `${text}.${vault.fingerprint(PURPOSE, text)}`
}

/** Refuses `run-not-found` for whatever was not made here. */
export const readToken = (vault: Vault, token: string): RunToken => {
  const [text = '', mark = '', ...rest] = token.split('.')
  // Hashes of both are compared: how long that takes tells nothing of where they differ.
  const proof = (value: string) => vault.fingerprint(`${PURPOSE}-proof`, value)
  if (rest.length > 0 || proof(mark) !== proof(vault.fingerprint(PURPOSE, text)))
    return refuse('run-not-found', 'There is no run for this token.')
  return JSON.parse(atob(text))
}
