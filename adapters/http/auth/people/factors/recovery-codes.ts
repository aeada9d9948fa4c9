import type { World } from '../../../../../domain/kernel/ports.ts'
import { RECOVERY_CODES_MAX } from '../../../../../domain/signin/user.ts'

/** Ten words for the day that a telephone is lost: 80 bits each in base32, shown once, kept as hashes. */

const CHARACTERS = 16

export const newRecoveryCodes = (world: World): readonly string[] =>
  // An id has 130 bits in base32; its first 16 characters are 80 of them.
  Array.from({ length: RECOVERY_CODES_MAX }, () => inGroups(world.id('rc').slice(3, 3 + CHARACTERS)))

/** The hash of a code as somebody types it: case, spaces and dashes do not matter. */
export const recoveryHash = (world: Pick<World, 'digest'>, code: string): string =>
  world.digest(code.toLowerCase().replaceAll(/[^a-z2-7]/g, ''))

const inGroups = (code: string): string => (code.match(/.{4}/g) ?? []).join('-')
