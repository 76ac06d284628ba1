import { expect, test } from 'vitest'
import { scaledSpec } from '../../../src/control-plane/changes/scaled-spec.ts'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import { thrownBy } from '../../support/thrown-by.ts'

const USER_SPEC = { etcd: { goGc: 80 } }
const DEV = {
  name: 'dev',
  driver: 'kubernetes',
  userSpec: USER_SPEC,
  spec: resolveSpec(USER_SPEC, 'kubernetes'),
} as const

test('says other numbers beside what is said already', () => {
  expect(scaledSpec(DEV, { etcd: 3, apiServer: 2 })).toEqual({
    etcd: { goGc: 80, replicas: 3 },
    apiServer: { replicas: 2 },
  })
})

test.for([0, 2, 4, 6])('refuses %i members of etcd', (etcd) => {
  expect(thrownBy(() => scaledSpec(DEV, { etcd }))).toMatchObject({
    code: 'USAGE',
    message: `etcd has 1, 3 or 5 members, not ${etcd}`,
  })
})

test('says that a plane of this machine has one of each', () => {
  const error = thrownBy(() => scaledSpec({ ...DEV, driver: 'local' }, { etcd: 3 }))

  expect(error).toMatchObject({ code: 'UNSUPPORTED', exitCode: 2 })
})

test('refuses members of a store that has none, and scales the rest', () => {
  const store = { kine: { sqlite: {} } }
  const plane = { ...DEV, spec: { ...DEV.spec, store } }

  expect(thrownBy(() => scaledSpec(plane, { etcd: 3 }))).toMatchObject({
    code: 'UNSUPPORTED',
    message: '"dev" cannot have several members: its store is sqlite',
  })
  expect(scaledSpec(plane, { apiServer: 2 })).toMatchObject({ apiServer: { replicas: 2 } })
})
