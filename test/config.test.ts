import test from 'ava'
import { BadSetting, readConfig } from '../src/config.ts'

test('a cluster is named by its nodes or by one name for all of them', (t) => {
  for (const url of ['esdb://a:2113,b:2113,c:2113?tls=true', 'esdb+discover://cluster.test:2113', 'esdb://a:2113'])
    t.is(readConfig({ EVENTSTORE_URL: url }).eventStoreUrl, url)
})

test('a connection string that is none is refused by the name of its setting, without its password', (t) => {
  for (const url of ['esdb://u:hunter2@:x,b', 'http://u:hunter2@a', 'esdb://u:hunter2@a:99999,b']) {
    const refused = t.throws(() => readConfig({ EVENTSTORE_URL: url }), { instanceOf: BadSetting })
    t.regex(String(refused?.message), /^EVENTSTORE_URL/)
    t.notRegex(String(refused?.message), /hunter2/)
  }
})
