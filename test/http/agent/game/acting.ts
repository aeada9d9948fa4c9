import { createHash } from 'node:crypto'
import test from 'ava'
import type { TestApp } from '../../../support/app.ts'
import { claimed, linkCode } from '../../../support/game-pages.ts'
import type { Person } from '../../../support/people.ts'
import { activeSeller, ok } from '../../../support/seller.ts'

/** What linked keys do with characters, on the app of the file that calls this. `step` moves the service's clock on. */
export type Scene = {
  app(): TestApp
  step(ms: number): void
  member(): Promise<Person & { sub: string }>
  password: string
}

const MINUTE_MS = 60_000
const SCOPES = ['game.characters.read', 'game.characters.act'] as const

export const actingTests = ({ app, step, member, password }: Scene): void => {
  const call = (key: string, method: string, path: string, body?: object, headers?: Record<string, string>) =>
    app().call(method, `/v1/game${path}`, { key, ...(body && { body }), ...(headers && { headers }) })
  const player = async (scopes: readonly string[] = SCOPES) => {
    const [who, { key }] = await Promise.all([member(), activeSeller(app())])
    await who.send('/account/game', { name: `Ada ${key.slice(-6)}`, class: 'envoy' })
    const linked = await claimed(app(), who, key, password, ['game.read', ...scopes])
    return { who, key, ...linked }
  }
  const refusedWith = (answer: { status: number; json: { error_code?: string } }) => [
    answer.status,
    answer.json.error_code,
  ]

  test.serial(
    'G-LNK-02 E-404-09 E-409-02 E-410-03 a code that never was, was claimed or revoked, or is too old links nothing',
    async (t) => {
      const [who, { key }] = await Promise.all([member(), activeSeller(app())])
      const link = (code: string) => call(key, 'POST', '/link', { code })
      const wish = { label: 'Agent', 'game.read': '1' }
      t.deepEqual(refusedWith(await link(`pl-${'a'.repeat(26)}`)), [404, 'svc_not_found'])
      const [claimedOne, revokedOne, oldOne] = [
        await linkCode(who, password, wish),
        await linkCode(who, password, wish),
        await linkCode(who, password, wish),
      ]
      await ok(link(claimedOne))
      t.deepEqual(refusedWith(await link(claimedOne)), [409, 'svc_conflict'])
      // The page's first form revokes its first link.
      for (let left = 3; left > 0; left--) await who.send('/account/game/links')
      t.deepEqual(refusedWith(await link(revokedOne)), [409, 'svc_conflict'])
      t.deepEqual(refusedWith(await call(key, 'GET', '/me')), [403, 'svc_forbidden'], 'the claimed one was revoked too')
      const late = await linkCode(who, password, wish)
      step(10 * MINUTE_MS)
      t.deepEqual(refusedWith(await link(late)), [410, 'svc_gone'])
      t.deepEqual(refusedWith(await link(oldOne)), [409, 'svc_conflict'])
    },
  )

  test.serial('G-CHR-01 G-CHR-02 E-404-08 a key reads its own member’s characters, and nobody else’s', async (t) => {
    const [ada, bob] = [await player(), await player()]
    const { json: list } = await ok(call(ada.key, 'GET', '/characters'))
    t.is(list.count, 1)
    t.like(list.characters[0], {
      id: ada.characterId,
      class: 'envoy',
      level: 1,
      xp: 0,
      galaxy: 'lantern',
      status: 'idle',
    })
    const { json: sheet } = await ok(call(ada.key, 'GET', `/character?id=${ada.characterId}`))
    t.deepEqual(sheet.stats, { power: 8, agility: 10, wit: 14, spirit: 18, luck: 10 })
    t.like(sheet, { xp_to_next: 100, skills: ['negotiation', 'botany'], busy_until: null, fragments: [] })
    for (const id of [bob.characterId, 1, 2 ** 52])
      t.deepEqual(refusedWith(await call(ada.key, 'GET', `/character?id=${id}`)), [404, 'svc_not_found'])
    const foreign = { action: 'train', character_id: bob.characterId, stat: 'wit' }
    t.deepEqual(refusedWith(await call(ada.key, 'POST', '/act', foreign)), [404, 'svc_not_found'])
    for (const id of ['', 'x', '1.5', '-1'])
      t.deepEqual(refusedWith(await call(ada.key, 'GET', `/character?id=${id}`)), [400, 'svc_invalid_request'])
  })

  test.serial('a page says of what was done only what it knows itself', async (t) => {
    const who = await member()
    for (const path of ['/account/game', '/account/game/quests', '/account/game/links', '/account/security'])
      for (const done of ['x', 'constructor']) {
        const { status, text } = await who.open(`${path}?done=${done}`)
        t.deepEqual([status, text.includes('role="status"')], [200, false], `${path} ${done}`)
      }
  })

  test.serial('G-ACT-01 a mission is begun, waited for and claimed, and its seed proves what it brought', async (t) => {
    const { key, characterId: character_id } = await player()
    const act = (body: object, headers?: Record<string, string>) =>
      call(key, 'POST', '/act', { character_id, ...body }, headers)
    const go = { action: 'mission-start', mission_id: 'light-the-buoys' }
    const once = { 'Idempotency-Key': 'the-buoys' }
    const { json: begun } = await ok(act(go, once))
    t.is(begun.success_chance, 52)
    const repeated = await ok(act(go, once))
    t.deepEqual([repeated.json, repeated.headers.get('idempotency-replayed')], [begun, 'true'])
    t.is((await act({ ...go, mission_id: 'calm-the-quay' }, once)).status, 409)
    const busy = await act({ action: 'travel', galaxy: 'meridian' })
    t.deepEqual([...refusedWith(busy), busy.json.busy_until], [409, 'character_busy', begun.ready_at])
    const claim = { action: 'mission-claim', run_id: begun.run_id }
    t.deepEqual(refusedWith(await act(claim)), [409, 'not_ready'])
    step(5 * MINUTE_MS)
    const { json: brought } = await ok(act(claim))
    t.is(createHash('sha256').update(brought.reveal).digest('hex'), begun.commit)
    t.is(brought.rewards.xp, brought.success ? 20 : 4)
    t.deepEqual(refusedWith(await act(claim)), [409, 'already_claimed'])
    const { json: way } = await ok(act({ action: 'travel', galaxy: 'meridian' }))
    t.like(way, { from: 'lantern', to: 'meridian' })
    step(15 * MINUTE_MS)
    t.deepEqual(refusedWith(await act(go)), [409, 'wrong_galaxy'])
    t.deepEqual(refusedWith(await act({ action: 'train', stat: 'charm' })), [400, 'svc_invalid_request'])
    t.deepEqual(refusedWith(await act({ action: 'dance' })), [400, 'svc_invalid_request'])
  })

  test.serial(
    'G-ACT-02 E-402-07 with too few training points nothing is trained, and a point comes each day',
    async (t) => {
      const { key, characterId: character_id } = await player()
      const train = (headers?: Record<string, string>) =>
        call(key, 'POST', '/act', { action: 'train', character_id, stat: 'wit' }, headers)
      t.deepEqual(refusedWith(await train()), [402, 'insufficient_training_points'])
      const { json: before } = await ok(call(key, 'GET', `/character?id=${character_id}`))
      t.is(before.training_points, 1, 'what its first act would have')
      for (let day = 1; day <= 2; day++) {
        await ok(
          call(key, 'POST', '/act', { action: 'travel', character_id, galaxy: day === 1 ? 'meridian' : 'lantern' }),
        )
        step(24 * 60 * MINUTE_MS)
      }
      const once = { 'Idempotency-Key': 'one-lesson' }
      const { json: trained } = await ok(train(once))
      t.deepEqual(trained, {
        stat: 'wit',
        from: before.stats.wit,
        to: before.stats.wit + 1,
        cost: 2,
        training_points: 1,
      })
      t.deepEqual((await ok(train(once))).json, trained)
      const { json: after } = await ok(call(key, 'GET', `/character?id=${character_id}`))
      t.like(after, { stats: { wit: before.stats.wit + 1 }, training_points: 1 })
    },
  )
}
