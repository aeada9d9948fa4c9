import test from 'ava'
import { priceIn as found } from '../../adapters/rates/token-prices.ts'

const priceIn = (text: string) => found(text)?.usd

test('N-32 the first field that holds a price above zero is taken, from the object or from one right inside it', (t) => {
  for (const [json, price] of [
    ['{"price":1.5}', '1.5'],
    ['{"price":"1.5"}', '1.5'],
    ['{"value":4,"usd":3,"rate":2,"price":1}', '1'],
    ['{"value":4,"usd":3,"rate":2}', '2'],
    ['{"price":null,"rate":"n/a","usd":7}', '7'],
    ['{"price":0,"rate":-1,"usd":"0.0","value":5}', '5'],
    ['{"shop-coin":{"usd":0.25}}', '0.25'],
    ['{"price":{"usd":3}}', '3'],
    ['{"a":1,"b":{"x":1},"c":{"rate":"12"}}', '12'],
    [' {"usd" : 10.50 }\n', '10.5'],
  ] as const)
    t.is(priceIn(json), price, json)
})

test('N-32 a price keeps its digits: nothing goes through a float', (t) => {
  for (const [written, price] of [
    ['0.1', '0.1'],
    ['123456789012345.123456789012', '123456789012345.123456789012'],
    ['9007199254740993', undefined],
    ['900719925474099.3', '900719925474099.3'],
    ['6.1e-07', '0.00000061'],
    ['1.25E+3', '1250'],
    ['12e0', '12'],
    ['5e-12', '0.000000000005'],
    ['1.9999999999999e-3', '0.001999999999'],
    ['007', undefined],
    ['1e15', undefined],
    ['1e14', '100000000000000'],
    ['4e-13', undefined],
    ['1e-99', undefined],
    ['1e999', undefined],
  ] as const)
    t.is(priceIn(`{"price":${written}}`), price, written)
  t.is(priceIn('{"price":"007"}'), '7')
})

test('N-32 what is no object with a price has none', (t) => {
  const texts = [
    '',
    ' ',
    'null',
    '1.5',
    '"1.5"',
    '[1]',
    '[{"price":1}]',
    '{}',
    '{"price":true}',
    '{"price":[1]}',
    '{"Price":1}',
    '{"a":{"b":{"usd":1}}}',
    '{"price":1',
    '{"price":1}}',
    "{'price':1}",
    '{"price":1,}',
    '{/**/"price":1}',
    '<html>',
    '{"price":"1,5"}',
    '{"price":"$1"}',
    '{"price":" 1"}',
    '{"price":"Infinity"}',
    '{"price":"0x10"}',
    '{"price":NaN}',
    `{"price":${'9'.repeat(200)}}`,
    `{"price":0.${'1'.repeat(200)}}`,
    '['.repeat(60_000),
    '{"a":'.repeat(10_000),
  ]
  for (const text of texts) t.is(priceIn(text), undefined, text.slice(0, 60))
})
