import { expect, test } from 'vitest'
import {
  restrictedContainerRefusals,
  restrictedRefusals,
} from '../../../src/syncer/policies/restricted-pods.ts'

const POLICIES = {
  hostnames: [],
  endpoints: [],
  services: { types: [], loadBalancerAddresses: [] },
  tolerations: [],
  podSecurity: 'restricted' as const,
}
const GOOD = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
  capabilities: { drop: ['ALL'] },
}

test.for([
  ['is as demanded', {}, undefined],
  ['may get rights', { allowPrivilegeEscalation: true }, 'allowPrivilegeEscalation'],
  ['says nothing about root', { runAsNonRoot: undefined }, 'runAsNonRoot'],
  ['is root', { runAsUser: 0 }, 'runAsUser'],
  ['is not confined', { seccompProfile: { type: 'Unconfined' } }, 'seccompProfile.type'],
  ['keeps capabilities', { capabilities: { drop: ['CHOWN'] } }, 'capabilities.drop'],
  ['adds one', { capabilities: { drop: ['ALL'], add: ['CHOWN'] } }, 'capabilities.add'],
  ['adds that of ports', { capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] } }, undefined],
] as const)('judges a container that %s', ([, changes, field]) => {
  const container = { name: 'web', securityContext: { ...GOOD, ...changes } }
  const refusals = restrictedRefusals(POLICIES, { containers: [container] })

  expect(refusals).toEqual(
    field === undefined
      ? []
      : [expect.stringContaining(`spec.containers[web].securityContext: ${field}`)],
  )
})

test('reads from the pod what a container does not say', () => {
  const { allowPrivilegeEscalation, capabilities, ...ofPod } = GOOD
  const container = { name: 'web', securityContext: { allowPrivilegeEscalation, capabilities } }
  const at = 'spec.ephemeralContainers[debug]'

  expect(
    restrictedRefusals(POLICIES, { securityContext: ofPod, initContainers: [container] }),
  ).toEqual([])
  expect(restrictedRefusals(POLICIES, { initContainers: [container] })).toHaveLength(2)
  expect(restrictedContainerRefusals(POLICIES, { container, spec: {}, at })).toHaveLength(2)
})

test('demands nothing unless the owner does', () => {
  const spec = { containers: [{ name: 'web' }] }

  expect(restrictedRefusals({ ...POLICIES, podSecurity: 'baseline' }, spec)).toEqual([])
  expect(restrictedRefusals(undefined, spec)).toEqual([])
})
