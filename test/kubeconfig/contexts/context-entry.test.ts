import { expect, test } from 'vitest'
import { contextNameOf } from '../../../src/kubeconfig/contexts/context-entry.ts'

const HOSTED = { name: 'dev', driver: 'kubernetes', namespace: 'team-a' } as const

test('names a context after its plane and the place of the plane', () => {
  expect(contextNameOf({ name: 'dev', driver: 'local' })).toBe('vplane_dev')
  expect(contextNameOf({ ...HOSTED, hostContext: 'kind-a' })).toBe('vplane_dev_team-a_kind-a')
})

test('shortens a name that is too long, and keeps it unique', () => {
  const long = 'arn:aws:eks:eu-central-1:123456789012:cluster/'.padEnd(300, 'x')

  const one = contextNameOf({ ...HOSTED, hostContext: `${long}1` })
  const other = contextNameOf({ ...HOSTED, hostContext: `${long}2` })

  expect(one).toHaveLength(253)
  expect(one).toMatch(/^vplane_dev_team-a_arn:aws:eks:/)
  expect(other).not.toBe(one)
})
