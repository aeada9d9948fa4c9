import test from 'ava'
import { type EventsOf, fold } from '../../domain/kernel/decider.ts'
import { clientApp, DOMAINS_MAX, URIS_MAX } from '../../domain/signin/client-app.ts'
import { isLive } from '../../domain/signin/redirect-uris.ts'
import { given, NOW } from '../support/given.ts'

type Event = EventsOf<typeof clientApp>

const who = { name: 'Shop', owner: null, confidential: true, firstParty: false }
const secrets = { secretHash: 'h', creditPushKeyHash: 'k', backchannelUrl: null, signingSecret: null }
const wish = { ...who, ...secrets, redirectUris: ['https://shop.example/cb'] }
const registered: Event = { type: 'ClientAppRegistered', data: who }
const uris: Event = { type: 'RedirectUrisSet', data: { uris: wish.redirectUris } }
const key: Event = { type: 'CreditPushKeySet', data: { keyHash: 'k', previousUntil: null } }
const open: Event = { type: 'ClientAppRegistered', data: { ...who, confidential: false } }
const claimed: Event = { type: 'DomainClaimed', data: { domain: 'shop.example', token: 't' } }
const verified: Event = { type: 'DomainVerified', data: { domain: 'shop.example' } }
const lapsed: Event = { type: 'DomainLapsed', data: { domain: 'shop.example' } }
const disabled: Event = { type: 'ClientAppDisabled', data: {} }
const inMinutes = (minutes: number) => new Date(Date.parse(NOW) + minutes * 60_000).toISOString()

test('an app is registered once, with the secrets that it has', (t) => {
  const secret: Event = { type: 'ClientSecretSet', data: { secretHash: 'h' } }
  given(t, clientApp).when('register', wish).yields(registered, uris, secret, key)
  given(t, clientApp, registered).when('register', wish).isRefused('id-taken')
  given(t, clientApp)
    .when('register', { ...wish, redirectUris: Array(URIS_MAX + 1).fill('https://shop.example/cb') })
    .isRefused('invalid-request')
})

test('A-CRP-05 L-AUT-07 the credit push key before a rotation is good for ten minutes more, and the one before that no more', (t) => {
  const rotated: Event = { type: 'CreditPushKeySet', data: { keyHash: 'new', previousUntil: inMinutes(10) } }
  given(t, clientApp, registered, key).when('rotateCreditPushKey', { keyHash: 'new' }).yields(rotated)
  const again: Event = { type: 'CreditPushKeySet', data: { keyHash: 'newer', previousUntil: inMinutes(11) } }
  const state = fold(clientApp, [registered, key, rotated, again])
  t.like(state, { creditPushKey: { hash: 'newer', previous: { hash: 'new', until: inMinutes(11) } } })
  given(t, clientApp, open).when('rotateCreditPushKey', { keyHash: 'new' }).isRefused('state-forbids')
  given(t, clientApp, open).when('rotateSecret', { secretHash: 'new' }).isRefused('state-forbids')
})

test('A-CLI-02 A-CLI-04 a domain goes from claimed to verified, to lapsed and back, and each step is quiet when repeated', (t) => {
  given(t, clientApp, registered)
    .when('claimDomain', claimed.data as never)
    .yields(claimed)
  given(t, clientApp, registered, claimed).when('claimDomain', { domain: 'shop.example', token: 'u' }).yieldsNothing()
  given(t, clientApp, registered).when('verifyDomain', { domain: 'shop.example' }).isRefused('not-found')
  given(t, clientApp, registered, claimed).when('verifyDomain', { domain: 'shop.example' }).yields(verified)
  given(t, clientApp, registered, claimed, verified).when('verifyDomain', { domain: 'shop.example' }).yieldsNothing()
  given(t, clientApp, registered, claimed).when('lapseDomain', { domain: 'shop.example' }).yieldsNothing()
  given(t, clientApp, registered, claimed, verified).when('lapseDomain', { domain: 'shop.example' }).yields(lapsed)
  given(t, clientApp, registered, claimed, verified, lapsed)
    .when('verifyDomain', { domain: 'shop.example' })
    .yields(verified)
  const full = Array.from({ length: DOMAINS_MAX }, (_, n): Event => {
    return { type: 'DomainClaimed', data: { domain: `${n}.example`, token: 't' } }
  })
  given(t, clientApp, registered, ...full)
    .when('claimDomain', { domain: 'shop.example', token: 't' })
    .isRefused('invalid-request')
})

test('A-CLI-02 A-CLI-03 A-CLI-04 a redirect URI is alive while its host or a parent is verified, and on loopback for public apps', (t) => {
  const live = (uri: string, ...events: Event[]) => {
    const state = fold(clientApp, events)
    return state.status !== 'none' && isLive(uri, state, { developmentApps: true })
  }
  const deep: Event = { type: 'RedirectUrisSet', data: { uris: ['https://login.eu.shop.example/cb'] } }
  t.false(live('https://shop.example/cb', registered, uris, claimed))
  t.true(live('https://shop.example/cb', registered, uris, claimed, verified))
  t.true(live('https://login.eu.shop.example/cb', registered, deep, claimed, verified))
  t.false(live('https://shop.example/cb', registered, deep, claimed, verified), 'it is none of the app’s')
  t.false(live('https://shop.example/cb', registered, uris, claimed, verified, lapsed))
  t.true(live('https://shop.example/cb', registered, uris, claimed, verified, lapsed, verified))
  const loopback: Event = { type: 'RedirectUrisSet', data: { uris: ['http://127.0.0.1:5000/cb'] } }
  t.true(live('http://127.0.0.1:5000/cb', open, loopback))
  t.true(live('http://127.0.0.1:61234/cb', open, loopback), 'a development app takes the port that is free')
  t.false(live('http://127.0.0.1:5000/cb', registered, loopback))
  t.false(live('http://localhost:5000/cb', open, loopback))
})

test('an app that is disabled changes no more, and being disabled again is quiet', (t) => {
  given(t, clientApp, registered).when('disable', {}).yields(disabled)
  given(t, clientApp, registered, disabled).when('disable', {}).yieldsNothing()
  given(t, clientApp, registered, disabled).when('rotateSecret', { secretHash: 'x' }).isRefused('client-unknown')
  given(t, clientApp, registered, disabled).when('setBackchannel', { url: null }).isRefused('client-unknown')
  given(t, clientApp).when('disable', {}).isRefused('client-unknown')
})

test('what is set to what it is already is quiet', (t) => {
  const endpoint: Event = { type: 'BackchannelSet', data: { url: 'https://shop.example/hook' } }
  given(t, clientApp, registered, uris).when('setUris', { redirectUris: wish.redirectUris }).yieldsNothing()
  given(t, clientApp, registered, endpoint)
    .when('setBackchannel', endpoint.data as never)
    .yieldsNothing()
  given(t, clientApp, registered).when('setSigningSecret', { secret: null }).yieldsNothing()
  given(t, clientApp, registered).when('rename', { name: 'Shop' }).yieldsNothing()
  given(t, clientApp, registered, claimed).when('releaseDomain', { domain: 'other.example' }).yieldsNothing()
})
