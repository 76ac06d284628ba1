import { expect, test } from 'vitest'
import { hostVersionFinding } from '../../../../src/drivers/kubernetes/preflight/host-version-finding.ts'

test.for([
  ['v1.36.3', 'ok', 'Kubernetes v1.36.3'],
  ['v1.34.5-gke.1080000', 'ok', 'Kubernetes v1.34.5-gke.1080000'],
  ['v1.99.0+k3s1', 'ok', 'Kubernetes v1.99.0+k3s1'],
  ['v1.33.0', 'warning', 'Kubernetes v1.33.0: vplane is tested with hosts of 1.34 to 1.36'],
  ['v1.27.16', 'warning', 'Kubernetes v1.27.16: vplane is tested with hosts of 1.34 to 1.36'],
  ['v1.26.9', 'problem', 'Kubernetes v1.26.9 is too old: 1.27 or later is needed'],
  ['something', 'ok', 'the host cluster does not say'],
] as const)('judges a host of version %s', ([gitVersion, level, message]) => {
  const version = { apiVersion: '', kind: '', metadata: {}, gitVersion }

  expect(hostVersionFinding(version)).toMatchObject({ level, message })
})

test('takes a host that does not say which version it is', () => {
  expect(hostVersionFinding(undefined)).toMatchObject({ level: 'ok' })
})
