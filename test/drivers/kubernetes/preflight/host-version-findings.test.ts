import { expect, test } from 'vitest'
import { hostVersionFindings } from '../../../../src/drivers/kubernetes/preflight/host-version-findings.ts'

test.for([
  ['v1.33.0', 'warning', 'Kubernetes v1.33.0: vplane is tested with hosts of 1.34 to 1.36'],
  ['v1.27.16', 'warning', 'Kubernetes v1.27.16: vplane is tested with hosts of 1.34 to 1.36'],
  ['v1.26.9', 'problem', 'Kubernetes v1.26.9 is too old: 1.27 or later is needed'],
] as const)('judges a host of version %s', ([gitVersion, level, message]) => {
  expect(judge(gitVersion)).toMatchObject([{ level, message }])
})

test.for([['v1.36.3'], ['v1.34.5-gke.1080000'], ['v1.99.0+k3s1'], ['something']])(
  'takes a host of version %s',
  ([gitVersion]) => {
    expect(judge(gitVersion)).toEqual([])
  },
)

test('takes a host that does not say which version it is', () => {
  expect(hostVersionFindings(undefined)).toEqual([])
})

function judge(gitVersion: string | undefined) {
  return hostVersionFindings({ apiVersion: '', kind: '', metadata: {}, gitVersion })
}
