import { expect, test } from 'vitest'
import { LOST_VERSIONS, lostVersions } from '../../../src/control-plane/spec/lost-versions.ts'
import {
  type StaleObjects,
  staleObjectLines,
} from '../../../src/control-plane/driver/etcd-operations.ts'

const WORKLOADS: StaleObjects = {
  resource: 'workloads.scheduling.k8s.io',
  apiVersion: 'scheduling.k8s.io/v1alpha1',
  count: 2,
  hasOther: false,
  isCustom: false,
}
const WIDGETS: StaleObjects = {
  resource: 'widgets.example.com',
  apiVersion: 'example.com/v1alpha1',
  count: 3,
  hasOther: true,
  isCustom: true,
}

test.for([
  ['1.35.4', '1.36.3', [36]],
  ['1.34.4', '1.36.3', [35, 36]],
  ['1.36.1', '1.36.3', []],
  ['1.36.3', '1.37.0', [37]],
  ['1.37.2', '1.38.0', []],
] as const)('from %s to %s goes what the minors between have lost', ([from, to, minors]) => {
  expect(lostVersions(from, to)).toEqual(minors.flatMap((minor) => LOST_VERSIONS[minor] ?? []))
})

test('says how many there are, in which version, and what to do about them', () => {
  expect(staleObjectLines([WIDGETS, WORKLOADS], '1.36.3')).toEqual([
    'etcd stores objects in versions that Kubernetes 1.36.3 does not have:',
    '  2 of workloads.scheduling.k8s.io as scheduling.k8s.io/v1alpha1; save those you need (kubectl get workloads.scheduling.k8s.io -A -o json), and delete them: no other version exists yet',
    'etcd stores objects in versions that their CustomResourceDefinitions do not serve:',
    '  3 of widgets.example.com as example.com/v1alpha1; store them again: kubectl get widgets.example.com -A -o json | kubectl replace -f -',
  ])
})

test('says nothing when there are none', () => {
  expect(staleObjectLines([], '1.36.3')).toEqual([])
})
