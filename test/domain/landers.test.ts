import test from 'ava'
import { LANDERS_MAX, type LanderEvents, landerFor, landers } from '../../domain/storefront/landers.ts'
import { OFFER_STATUSES, type OfferStatus, offer } from '../../domain/storefront/offer.ts'
import { given, NOW } from '../support/given.ts'
import { ACCOUNT } from './samples.ts'

/** Landing pages and the offers that are made at them, decided. */

const made = (landerId = 1, checkoutId = 'c1') =>
  ({ type: 'LanderCreated', data: { landerId, checkoutId, tpl: 'spotlight', createdAt: NOW } }) as const
const facts = { headline: '', subline: '', image: null, body: '', acceptsOffers: false, tpl: 'spotlight' } as const
const edited = (version: number, change: Partial<LanderEvents['LanderChanged']>) =>
  ({ type: 'LanderChanged', data: { ...facts, landerId: 1, version, changedAt: NOW, ...change } }) as const
const gone = { type: 'LanderDeleted', data: { landerId: 1 } } as const
const making = (checkoutId: string, slots: number) => ({ checkoutId, tpl: 'spotlight', slots }) as const

test('S-LAN-02 S-LAN-03 L-JSN-11 a payment link has one lander, which takes a slot until it is deleted', (t) => {
  given(t, landers).when('create', making('c1', 1)).yields(made())
  given(t, landers, made()).when('create', making('c1', 1)).yieldsNothing()
  given(t, landers, made()).when('create', making('c2', 1)).isRefused('no-free-lander-slots')
  given(t, landers, made()).when('create', making('c2', 2)).yields(made(2, 'c2'))
  given(t, landers).when('create', making('c1', 0)).isRefused('no-free-lander-slots')
  given(t, landers, made(), gone).when('create', making('c1', 1)).yields(made(2))
  const all = Array.from({ length: LANDERS_MAX }, (_, n) => made(n + 1, `c${n}`))
  given(t, landers, ...all)
    .when('create', making('next', 5_000))
    .isRefused('too-many-entries')
})

test('S-LAN-05 S-LAN-07 a lander is changed where something changes, and what was deleted is not a lander', (t) => {
  given(t, landers, made())
    .when('change', { landerId: 1, facts: { headline: 'Tea', tpl: 'story' } })
    .yields(edited(2, { headline: 'Tea', tpl: 'story' }))
  const second = edited(2, { headline: 'Tea', acceptsOffers: true })
  given(t, landers, made(), second)
    .when('change', { landerId: 1, facts: { body: '<p>x</p>' } })
    .yields(edited(3, { headline: 'Tea', acceptsOffers: true, body: '<p>x</p>' }))
  given(t, landers, made(), second)
    .when('change', { landerId: 1, facts: { headline: 'Tea' } })
    .yieldsNothing()
  given(t, landers, made()).when('delete', { landerId: 1 }).yields(gone)
  for (const history of [[], [made(), gone]]) {
    given(t, landers, ...history)
      .when('change', { landerId: 1, facts: {} })
      .isRefused('lander-not-found')
    given(t, landers, ...history)
      .when('delete', { landerId: 1 })
      .isRefused('lander-not-found')
  }
  t.is(landerFor(landers.evolve.LanderCreated(landers.initial, made().data), 'c1')?.landerId, 1)
  t.is(landerFor(landers.initial, 'c1'), undefined)
})

const wish = {
  accountId: ACCOUNT,
  landerId: 1,
  checkoutId: 'c1',
  amount: '40000000',
  currency: 'USD',
  email: 'v1.e',
  message: null,
  origin: 'of_1',
}
const offered = { type: 'OfferMade', data: { ...wish, madeAt: NOW } } as const
const became = (status: OfferStatus) =>
  ({ type: 'OfferStatusChanged', data: { accountId: ACCOUNT, landerId: 1, status, changedAt: NOW } }) as const

test('S-LAN-06 an offer is made once, for more than nothing, and its seller says what became of it', (t) => {
  given(t, offer).when('make', wish).yields(offered)
  given(t, offer, offered).when('make', wish).isRefused('id-taken')
  given(t, offer)
    .when('make', { ...wish, amount: '0' })
    .isRefused('amount-not-positive')
  for (const status of OFFER_STATUSES)
    if (status === 'new') given(t, offer, offered).when('setStatus', { accountId: ACCOUNT, status }).yieldsNothing()
    else {
      given(t, offer, offered).when('setStatus', { accountId: ACCOUNT, status }).yields(became(status))
      given(t, offer, offered, became(status)).when('setStatus', { accountId: ACCOUNT, status }).yieldsNothing()
      given(t, offer, offered, became(status))
        .when('setStatus', { accountId: ACCOUNT, status: 'new' })
        .yields(became('new'))
    }
  given(t, offer, offered).when('setStatus', { accountId: 'acc_2', status: 'spam' }).isRefused('offer-not-found')
  given(t, offer).when('setStatus', { accountId: ACCOUNT, status: 'spam' }).isRefused('offer-not-found')
})
