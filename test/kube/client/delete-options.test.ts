import { expect, test } from 'vitest'
import { toDeleteBody } from '../../../src/kube/client/delete-options.ts'

test.for([
  [{}, undefined],
  [{ propagation: 'Foreground' }, { propagationPolicy: 'Foreground' }],
  [{ graceSeconds: 0 }, { gracePeriodSeconds: 0 }],
  [{ uid: 'u' }, { preconditions: { uid: 'u' } }],
  [
    { uid: 'u', resourceVersion: '7', propagation: 'Orphan' },
    { propagationPolicy: 'Orphan', preconditions: { uid: 'u', resourceVersion: '7' } },
  ],
] as const)('says of %j what the API wants to hear', ([options, fields]) => {
  expect(toDeleteBody(options)).toEqual(
    fields && { apiVersion: 'v1', kind: 'DeleteOptions', ...fields },
  )
})
