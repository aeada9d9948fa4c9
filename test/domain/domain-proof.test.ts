import test from 'ava'
import { domainFault, proofRecord } from '../../domain/signin/domain-proof.ts'

test('A-CLI-02 the record that proves a domain stands at _svc-signin below it', (t) => {
  t.deepEqual(proofRecord('shop.example', 'abc'), { name: '_svc-signin.shop.example', value: 'svc-signin=abc' })
})

test('A-CLI-02 what strangers register their names under is nobody’s own domain', (t) => {
  for (const domain of ['com', 'localhost', 'co.uk', 'com.au', 'or.jp', 'github.io', 'vercel.app', 'uk.com'])
    t.not(domainFault(domain), undefined, domain)
  const broken = ['', '.', 'shop.example.', '.example', 'shop..example', 'Shop.example', 'shop_a.example', '-a.example']
  for (const domain of [
    ...broken,
    'a-.example',
    '192.0.2.1',
    '*.example',
    'shop.example/cb',
    `${'a'.repeat(64)}.example`,
  ])
    t.not(domainFault(domain), undefined, domain)
  t.not(domainFault(`${'a.'.repeat(126)}example`), undefined)
  for (const domain of ['shop.example', 'shop.co.uk', 'me.github.io', 'a.b.c.example', 'xn--bcher-kva.example', 't.co'])
    t.is(domainFault(domain), undefined, domain)
})
