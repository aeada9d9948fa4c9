/** A real log with real seals, for the tests of what auditors do with it. */
import { randomUUID } from 'node:crypto'
import type { ExecutionContext } from 'ava'
import type { SignedHead } from '../../adapters/audit/head.ts'
import { sealGuard } from '../../adapters/audit/seal-guard.ts'
import { rotateSealKey, type SealerParts, sealUpTo } from '../../adapters/audit/sealer.ts'
import type { StoredBytes } from '../../adapters/store/base/bytes.ts'
import type { Core } from '../../adapters/store/node/core.ts'
import { placeOf } from '../../adapters/store/node/embedded-bytes.ts'
import type { Vault, World } from '../../domain/kernel/ports.ts'
import type { SealWitness } from '../../src/settings/seal-witness.ts'
import { newEvent } from '../store/events.ts'
import { newCore } from '../store/open.ts'
import { ledgerOn } from './ledger.ts'
import { fixedWorld } from './world.ts'

export type SealedLog = {
  readonly core: Core
  readonly sealing: SealerParts
  /** Heads with the public keys that signed them, in their order. */
  readonly heads: { readonly head: SignedHead; readonly publicKey: string }[]
  /** The same as a journal keeps them; each is there before its event. */
  readonly witnesses: readonly SealWitness[]
  /** Appends so many events to streams of their own. */
  write(events: number): Promise<void>
  /** Seals all there is, `atOnce` events at a time. */
  seal(atOnce?: number): Promise<void>
  rotate(): Promise<void>
  /** The stored events, as bytes. */
  stored(): Promise<StoredBytes[]>
}

/** Without a database: what is sealed here is no secret. */
const openVault: Pick<Vault, 'seal' | 'open'> = {
  seal: async (subject, text) => `v1.${subject}.${Buffer.from(text).toString('base64url')}`,
  open: async (sealed) => Buffer.from(sealed.split('.')[2] ?? '', 'base64url').toString(),
}

/** What seals the log of an open node. Its key stands in the log, so whoever has a copy seals with the same one. */
export const sealingOn = (
  core: Core,
  world: World,
  { witness = () => {}, sealed = () => {} }: Partial<Pick<SealerParts, 'witness' | 'sealed'>> = {},
): SealerParts => {
  const { store, bytes } = placeOf(core, 'log.db')
  const ledger = ledgerOn(store, world)
  const guard = sealGuard(() => [])
  return { ledger, world, vault: openVault as Vault, store, lines: bytes.readLines, guard, witness, sealed }
}

/** In a file of its own, or on an open node. */
export const sealedLog = (t: ExecutionContext, core: Core = newCore(t)): SealedLog => {
  const { store, bytes } = placeOf(core, 'log.db')
  const heads: SealedLog['heads'] = []
  const witnesses: SealWitness[] = []
  const sealing = sealingOn(core, fixedWorld(), {
    witness: (witness) => void witnesses.push(witness),
    sealed: (head) => void heads.push({ head, publicKey: witnesses.at(-1)?.publicKeys.at(-1) ?? '' }),
  })
  return {
    core,
    sealing,
    heads,
    witnesses,
    async write(events) {
      for (let i = 0; i < events; i++)
        await store.append(`thing-${randomUUID()}`, -1n, [newEvent('ThingDone', { n: i, text: 'é ☃ "quoted"' })])
    },
    async seal(atOnce) {
      await sealUpTo(sealing, await store.head(), false, atOnce)
    },
    async rotate() {
      await rotateSealKey(sealing)
    },
    stored: async () => (await Array.fromAsync(bytes.readAll(-1n, await store.head()))).flat(),
  }
}
