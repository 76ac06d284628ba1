import { expect, test } from 'vitest'
import { gatewayPlanesOf, placeOfKey, planeKey } from '../../src/manifests/gateway-records.ts'

const OWN = { namespace: 'vplane-system' }

test('a key names the plane and its namespace, or only the plane where there is one namespace', () => {
  const place = { name: 'dev', namespace: 'team-a' }

  expect(placeOfKey(planeKey(place), OWN)).toEqual(place)
  expect(placeOfKey('dev', OWN)).toEqual({ name: 'dev', namespace: 'vplane-system' })
  expect(planeKey({ name: 'a-b', namespace: 'c' })).not.toBe(
    planeKey({ name: 'b', namespace: 'c-a' }),
  )
})

test('the longest key fits a ConfigMap', () => {
  const key = planeKey({ name: 'd'.repeat(63), namespace: 'n'.repeat(63) })

  expect(key).toMatch(/^[-._a-zA-Z0-9]{1,253}$/)
})

test('leaves out entries that someone else has damaged', () => {
  const plane = { id: '1', port: 20_000, state: 'asleep' }
  const data = { 'a.dev': JSON.stringify(plane), 'a.text': 'x', 'a.port': '{"id":"1","port":"x"}' }

  const planes = gatewayPlanesOf({ apiVersion: 'v1', kind: 'ConfigMap', metadata: {}, data })

  expect([...planes]).toEqual([['a.dev', plane]])
})
