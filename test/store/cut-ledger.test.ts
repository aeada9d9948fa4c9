/**
 * Decisions on streams that were cut or deleted on the server: several processes, each with a ledger of its own over
 * one log.
 */
import { status } from '@grpc/grpc-js'
import test, { type ExecutionContext } from 'ava'
import type { LogStore } from '../../adapters/store/base/origin.ts'
import { eventStoreDb } from '../../adapters/store/client/eventstoredb.ts'
import { refusal, streamName } from '../../adapters/store/node/wire.ts'
import { StreamCut } from '../../domain/audit/stream-cut.ts'
import { eventually } from '../../src/demo/stage.ts'
import { ledgerOn } from '../support/ledger.ts'
import { fixedWorld } from '../support/world.ts'
import { type CuttingServer, cuttingServer } from './cutting-server.ts'
import { all } from './events.ts'

const TRANSFER = 'eth:0xaa:native'
const STREAM = `transfer-${TRANSFER}`

const transfer = {
  network: 'eth',
  tx: '0xaa',
  index: 'native',
  asset: 'eth',
  from: '0xf1',
  to: '0xf2',
  amount: '5',
  height: 7,
  blockHash: '0xb1',
  minedAt: '2026-03-02T09:59:00.000Z',
}

const claimOf = (challengeId: string) => ({ accountId: 'acc_one', challengeId, asset: 'eth', transfer })

/** A process: its store, and its ledger, which draws its own ids. */
const processOf = (t: ExecutionContext, url: string, name: string) => {
  const store = eventStoreDb(url)
  t.teardown(() => store.close())
  return { store, ledger: ledgerOn(store, fixedWorld(name)) }
}

const follow = (t: ExecutionContext, store: LogStore) => {
  const stopping = new AbortController()
  const following = (async () => {
    for await (const _ of store.subscribe(-1n, stopping.signal));
  })()
  t.teardown(async () => {
    stopping.abort()
    await following
  })
}

const attacks: Readonly<Record<string, (server: CuttingServer) => Promise<unknown>>> = {
  'is cut to its newest event': (server) => server.setMetadata(STREAM, { $maxCount: 1 }),
  'is cut by age': (server) => server.setMetadata(STREAM, { $maxAge: 1 }),
  'loses its first event': (server) => server.setMetadata(STREAM, { $tb: 1 }),
  'is cut beyond its end': (server) => server.setMetadata(STREAM, { $tb: 9 }),
  'is deleted': (server) => server.softDelete(STREAM),
  'is deleted for good': (server) => server.tombstone(STREAM),
  'is deleted and begun again by another program': async (server) => {
    await server.softDelete(STREAM)
    await eventStoreDb(server.url)
      .append(STREAM, -1n, [
        {
          id: crypto.randomUUID(),
          type: 'TransferSetAside',
          data: { ...claimOf('cha_none'), reason: 'unmatched' },
          meta: { v: 1, at: '2026-03-02T10:00:00.000Z', cause: { actor: 'thief', correlationId: 'c-1' } },
        },
      ])
      .catch(() => undefined)
  },
}

for (const [how, attack] of Object.entries(attacks))
  test(`the stream of a transfer that ${how} decides nothing any more, in whichever process`, async (t) => {
    const server = await cuttingServer(t)
    const [keeper, other] = [processOf(t, server.url, 'keeper'), processOf(t, server.url, 'other')]
    follow(t, keeper.store)
    follow(t, other.store)
    await keeper.ledger.transfer.claim(TRANSFER, claimOf('cha_one'))
    await keeper.ledger.transfer.reverse(TRANSFER, { reason: 'reorganised', times: 0 })
    await attack(server)
    const late = processOf(t, server.url, 'late')
    await late.store.lookForCuts?.(-1n)
    await eventually('the news', () => [keeper, other].every(({ store }) => store.cuts.of(STREAM) !== undefined))
    for (const { ledger } of [keeper, other, late])
      for (const act of [
        () => ledger.transfer.claim(TRANSFER, claimOf('cha_two')),
        () => ledger.transfer.claim(TRANSFER, claimOf('cha_one')),
        () => ledger.transfer.read(TRANSFER),
      ]) {
        const error = await t.throwsAsync(act, { instanceOf: StreamCut })
        t.is(error?.stream, STREAM)
      }
    const claims = (await all(late.store.readAll(-1n))).filter(({ type }) => type === 'TransferClaimed')
    t.is(claims.length, 1)
    t.true([keeper, other, late].every(({ store }) => store.cuts.writable()))
    await late.ledger.transfer.claim('eth:0xbb:native', {
      ...claimOf('cha_two'),
      transfer: { ...transfer, tx: '0xbb' },
    })
  })

test('a process that has heard nothing yet decides nothing on what is left of a stream either', async (t) => {
  const server = await cuttingServer(t)
  const keeper = processOf(t, server.url, 'keeper')
  await keeper.ledger.transfer.claim(TRANSFER, claimOf('cha_one'))
  await keeper.ledger.transfer.reverse(TRANSFER, { reason: 'reorganised', times: 0 })
  await server.setMetadata(STREAM, { $maxCount: 1 })
  const deaf = processOf(t, server.url, 'deaf')
  await t.throwsAsync(deaf.ledger.transfer.claim(TRANSFER, claimOf('cha_two')), { instanceOf: StreamCut })
  await server.softDelete(STREAM)
  // To it the stream is one that never was: the server takes the append, and it is the last of this process.
  await t.throwsAsync(processOf(t, server.url, 'deaf').ledger.transfer.claim(TRANSFER, claimOf('cha_two')), {
    instanceOf: StreamCut,
  })
})

test('a server that denies a stream to its user gets no decision, and no other stream suffers', async (t) => {
  let denied: string | undefined
  const server = await cuttingServer(t, {
    read: (call) => {
      const asked = streamName(call.request.getOptions()?.getStream()?.getStreamIdentifier())
      const refuses = asked === denied
      if (refuses)
        call.emit('error', refusal(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' }))
      return refuses
    },
  })
  const keeper = processOf(t, server.url, 'keeper')
  await keeper.ledger.transfer.claim(TRANSFER, claimOf('cha_one'))
  const fresh = processOf(t, server.url, 'fresh')
  denied = STREAM
  await t.throwsAsync(fresh.ledger.transfer.claim(TRANSFER, claimOf('cha_two')), { message: /PERMISSION_DENIED/ })
  t.deepEqual(fresh.store.cuts.all(), [])
  await fresh.ledger.transfer.claim('eth:0xbb:native', { ...claimOf('cha_two'), transfer: { ...transfer, tx: '0xbb' } })
  denied = undefined
  await t.throwsAsync(fresh.ledger.transfer.claim(TRANSFER, claimOf('cha_two')), { message: /transfer-taken/ })
})
