import { expect, test } from 'vitest'
import { lostSettingLines } from '../../../../src/control-plane/use-cases/upgrade/lost-settings.ts'
import { lostVersions } from '../../../../src/control-plane/spec/lost-versions.ts'

const LOST = lostVersions('1.35.4', '1.36.3')

test.for([
  ['scheduling.k8s.io/v1alpha1=true', 'it has no priorityclasses, workloads of that version'],
  ['scheduling.k8s.io/v1alpha1/workloads=true', 'it has no workloads of that version'],
  ['autoscaling/v2beta2', 'it has no horizontalpodautoscalers of that version'],
] as const)('says that %s switches nothing on any more', ([setting, words]) => {
  expect(lines(`api/beta=true,${setting}`)).toEqual([
    'apiServer.extraArgs.runtime-config of its spec switches on what Kubernetes 1.36.3 does not have, and may not start with:',
    `  ${setting}: ${words}`,
  ])
})

test('looks through a flag that is there several times', () => {
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
