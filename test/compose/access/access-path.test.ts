import { expect, test } from 'vitest'
import { accessPathOf } from '../../../src/compose/access/access-path.ts'

test('lies in the folder of a local plane, and goes with it', () => {
  expect(accessPathOf('/data', { driver: 'local', name: 'a' })).toBe('/data/planes/a/access.json')
})

test('differs by host context and namespace, whatever their names hold', () => {
  const plane = { driver: 'kubernetes', name: 'dev' } as const

  const paths = [
    accessPathOf('/data', { ...plane, namespace: 'a', hostContext: 'kind' }),
    accessPathOf('/data', { ...plane, namespace: 'b', hostContext: 'kind' }),
    accessPathOf('/data', { ...plane, namespace: 'a', hostContext: '../../../etc/passwd' }),
  ]

  expect(new Set(paths).size).toBe(3)
  for (const path of paths) {
    expect(path).toMatch(/^\/data\/credentials\/kubernetes_dev_[^/]+\.json$/)
  }
})
