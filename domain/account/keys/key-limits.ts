import type { SealedText } from '../../kernel/ports.ts'
import { refuse } from '../../kernel/refusal.ts'

/**
 * Until when a key may call, and from where (N-99). Sub-keys and sandbox keys may be limited so; the owner's key never
 * is, so that no owner locks themselves out.
 */

export type SealedNetworks = { readonly text: SealedText; readonly print: string }

/** What is not given, or null, does not limit the key. */
export type KeyLimits = {
  /** From then on the key is refused. */
  readonly endsAt?: string | null
  /**
   * The networks that it may come from, as CIDR, with spaces between them. They are sealed, because they may tell where
   * somebody is; `print` is a keyed hash by which the same ones are known.
   */
  readonly networks?: SealedNetworks | null
}

/** What is not given stays as it is; null removes it. */
export type KeyLimitsChange = { readonly [K in keyof KeyLimits]?: KeyLimits[K] | undefined }

/** The limits alone, without those that do not limit. */
export const keyLimits = ({ endsAt, networks }: KeyLimitsChange): KeyLimits => ({
  ...(endsAt != null && { endsAt }),
  ...(networks != null && { networks }),
})

/** The limits of a key after a change. */
export const keyLimitsAfter = (key: KeyLimits, wish: KeyLimitsChange): KeyLimits =>
  keyLimits({
    endsAt: wish.endsAt === undefined ? key.endsAt : wish.endsAt,
    networks: wish.networks === undefined ? key.networks : wish.networks,
  })

/** Whether two keys are limited alike. */
export const sameKeyLimits = (a: KeyLimits, b: KeyLimits): boolean =>
  (a.endsAt ?? null) === (b.endsAt ?? null) && a.networks?.print === b.networks?.print

/** Whether the end of a key is over. */
export const isEnded = ({ endsAt }: Pick<KeyLimits, 'endsAt'>, now: string): boolean => endsAt != null && endsAt <= now

/** Refuses `invalid-request` for an end that is over, unless the key has that end already. */
export const mustEndLater = (wish: KeyLimitsChange, now: string, key: KeyLimits = {}): void => {
  if (wish.endsAt != null && wish.endsAt <= now && wish.endsAt !== key.endsAt)
    refuse('invalid-request', 'ends_at: has to be in the future; to stop a key now, suspend, revoke or delete it')
}
