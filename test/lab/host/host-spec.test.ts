import { expect, test } from 'vitest'
import { knownKubernetesVersions } from '../../../src/control-plane/spec/kubernetes-version.ts'
import { describeComponents } from '../../../src/control-plane/components/describe-components.ts'
import { addressPlan } from '../cluster/state/address-plan.ts'
import { clusterFolder } from '../cluster/state/cluster-folder.ts'
import { hostLayout, hostSpec } from './host-spec.ts'

const LAYOUT = hostLayout(addressPlan('h1', 0, 1), clusterFolder('/clusters', 'h1'))

test.for(knownKubernetesVersions())(
  'a host of Kubernetes %s has nodes: all controllers, node authorization, kubelets as clients',
  (version) => {
    const components = describeComponents(hostSpec(version), LAYOUT)
    const args = (name: string) => components.find((each) => each.name === name)?.args ?? []

    expect(args('kube-apiserver')).toEqual(
      expect.arrayContaining([
        '--authorization-mode=Node,RBAC',
        '--advertise-address=10.99.1.10',
        '--kubelet-client-certificate=/clusters/h1/pki/apiserver-kubelet-client.crt',
        '--service-cluster-ip-range=10.96.0.0/16',
      ]),
    )
    expect(args('kube-controller-manager').join(' ')).toContain('--controllers=*,')
  },
)

test('forgets everything in a power cut, and leaves memory for speed', () => {
  expect(hostSpec('1.36.3')).toMatchObject({ ephemeral: true, apiServer: { goGc: 100 } })
})
