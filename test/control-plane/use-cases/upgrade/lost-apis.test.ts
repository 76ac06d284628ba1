import { expect, test } from 'vitest'
import {
  lostSettingLines,
  removedApis,
} from '../../../../src/control-plane/use-cases/upgrade/lost-apis.ts'
import { lostVersions } from '../../../../src/control-plane/spec/lost-versions.ts'

const LOST = lostVersions('1.35.4', '1.36.3')

/** From kube-apiserver 1.31. */
const METRICS = [
  '# TYPE apiserver_requested_deprecated_apis gauge',
  'apiserver_requested_deprecated_apis{group="flowcontrol.apiserver.k8s.io",removed_release="1.32",resource="flowschemas",subresource="",version="v1beta3"} 1',
  'apiserver_requested_deprecated_apis{group="flowcontrol.apiserver.k8s.io",removed_release="1.32",resource="flowschemas",subresource="status",version="v1beta3"} 1',
  'apiserver_requested_deprecated_apis{group="",removed_release="",resource="componentstatuses",subresource="",version="v1"} 1',
  'apiserver_request_total{code="200",group="",resource="pods",version="v1"} 7',
].join('\n')

test('lists requested APIs that the version, or an earlier one, removes', () => {
  const expected = [
    'flowschemas of flowcontrol.apiserver.k8s.io/v1beta3, removed in 1.32',
    'flowschemas/status of flowcontrol.apiserver.k8s.io/v1beta3, removed in 1.32',
  ]

  expect(removedApis(METRICS, '1.32.0')).toEqual(expected)
  expect(removedApis(METRICS, '1.33.1')).toEqual(expected)
})

test('does not list APIs that stay, or that a later version removes', () => {
  expect(removedApis(METRICS, '1.31.9')).toEqual([])
  expect(removedApis('', '1.36.0')).toEqual([])
})

test.for([
  ['scheduling.k8s.io/v1alpha1=true', 'no priorityclasses, workloads of that version'],
  ['scheduling.k8s.io/v1alpha1/workloads=true', 'no workloads of that version'],
  ['autoscaling/v2beta2', 'no horizontalpodautoscalers of that version'],
] as const)('reports that %s has no effect any more', ([setting, words]) => {
  expect(lines(`api/beta=true,${setting}`)).toEqual([
    'apiServer.extraArgs.runtime-config enables APIs that Kubernetes 1.36.3 does not serve, and may not start with:',
    `  ${setting}: ${words}`,
  ])
})

test('checks all values of a repeated flag', () => {
  expect(lines(['api/all=true', 'autoscaling/v2beta1=true,autoscaling/v2beta2=true'])).toHaveLength(
    3,
  )
})

test.for([
  undefined,
  'api/alpha=true',
  'scheduling.k8s.io/v1alpha1=false',
  'scheduling.k8s.io/v1alpha2=true',
  'scheduling.k8s.io/v1alpha1/jobs=true',
])('says nothing of %s', (setting) => {
  expect(lines(setting)).toEqual([])
})

function lines(setting: string | string[] | undefined): string[] {
  const extraArgs = { v: '4', ...(setting === undefined ? {} : { 'runtime-config': setting }) }
  return lostSettingLines({ apiServer: { extraArgs, goGc: 100 } }, LOST, '1.36.3')
}
