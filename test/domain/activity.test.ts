import test from 'ava'
import { ACTS, type Act, actActorOf, actOf, NO_ACTS, NO_ACTS_IN } from '../../domain/reading/activity.ts'
import { deciders } from '../../domain/write-side/deciders.ts'

/** Which events are acts of people and keys. */

test('N-104 every event is an act with words of its own, or is declared to be none', (t) => {
  for (const { category, evolve } of Object.values(deciders))
    for (const type of Object.keys(evolve)) {
      const [isAct, isNone] = [type in ACTS, (NO_ACTS as readonly string[]).includes(type)]
      const said = [isAct, isNone, !isAct && NO_ACTS_IN.includes(category)]
      t.is(said.filter(Boolean).length, 1, `${type} of ${category}: name it once in domain/reading/activity.ts`)
    }
  const known = new Set(Object.values(deciders).flatMap(({ evolve }) => Object.keys(evolve)))
  for (const type of [...Object.keys(ACTS), ...NO_ACTS]) t.true(known.has(type), type)
  const categories = Object.values(deciders).map(({ category }) => category as string)
  for (const category of NO_ACTS_IN) t.true(categories.includes(category), category)
})

test('N-104 X-TEN-01 an act is of the account whose key or person did it, and of nobody who is the service itself', (t) => {
  t.deepEqual(actActorOf('acc_1'), { kind: 'owner-key', id: '', accountId: 'acc_1' })
  t.deepEqual(actActorOf('acc_1/member/mem_2'), { kind: 'member', id: 'mem_2', accountId: 'acc_1' })
  t.deepEqual(actActorOf('acc_1/sub-key/0123'), { kind: 'sub-key', id: '0123', accountId: 'acc_1' })
  t.deepEqual(actActorOf('acc_1/store/4567'), { kind: 'store-key', id: '4567', accountId: 'acc_1' })
  t.deepEqual(actActorOf('operator'), { kind: 'operator', id: '', accountId: undefined })
  for (const actor of ['bill-settlement', 'refunds', 'usr_1', 'unknown', 'acc_1/robot/1'])
    t.is(actActorOf(actor), undefined)
})

test('N-104 what a chain tells is no act, and a stranger acts on the account alone where a letter led', (t) => {
  const [owner, stranger] = [actActorOf('acc_1'), actActorOf('public')]
  if (!owner || !stranger) return t.fail()
  const act = (type: string, by = owner, data: object = {}): Act | undefined => actOf({ type, data }, by)
  t.is(act('TransferClaimed'), undefined)
  t.is(act('TransferClaimed', owner, { by: 'key' }), 'TransferClaimed')
  t.is(act('ChallengeSettled'), undefined)
  t.is(act('PasswordReset', stranger), 'PasswordReset')
  t.is(act('PaymentRequestOpened', stranger), undefined)
})
