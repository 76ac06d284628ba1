import { expect, test } from 'vitest'
import { stepText } from '../../../../src/cli/catalog/step-text.ts'
import {
  upgradedSpec,
  upgradeStages,
} from '../../../../src/control-plane/use-cases/upgrade/upgraded-spec.ts'
import { upgradeSteps } from '../../../../src/control-plane/use-cases/upgrade/upgrade-steps.ts'
import type { PlaneSpec } from '../../../../src/control-plane/spec/spec.ts'
import { FakeComposition } from '../../../support/driver/fake-composition.ts'

const { signal } = new AbortController()
const SERVERS = ['restart kube-apiserver', 'restart kube-controller-manager']
const restart = (component: string) => ({ action: 'restart-component', component }) as const

test('lists what each stage does, and what is replaced twice', async () => {
  expect(await stepsTo('1.36', { etcdVersion: '3.6.4' })).toEqual([
    'etcd 3.6.16: restart etcd',
    'Kubernetes 1.36.3 as 1.35.4: restart kube-apiserver',
    'Kubernetes 1.36.3 as 1.35.4: restart kube-controller-manager',
    'Kubernetes 1.36.3: restart kube-apiserver',
    'Kubernetes 1.36.3: restart kube-controller-manager',
  ])
})

test('lists what is left of an interrupted upgrade', async () => {
  const half = { version: '1.36.3', upgradingFrom: '1.35.4' }

  expect(await stepsTo('1.36', half)).toEqual(SERVERS.map((step) => `Kubernetes 1.36.3: ${step}`))
})

test('needs no words for a single stage', async () => {
  expect(await stepsTo('1.35.5', {})).toEqual(SERVERS)
})

/** The steps of a plane of 1.35 whose driver restarts what a spec says otherwise. */
async function stepsTo(version: string, fields: Partial<PlaneSpec>): Promise<string[]> {
  const world = new FakeComposition()
  const { driver } = world
  const made = await world.plane('dev', { version: '1.35' })
  const plane = { ...made, spec: { ...made.spec, ...fields } }
  driver.plan = async ({ spec: now }, { spec }) => {
    const isSame = now.version === spec.version && now.upgradingFrom === spec.upgradingFrom
    const steps = [
      ...(now.etcdVersion === spec.etcdVersion ? [] : [restart('etcd')]),
      ...(isSame ? [] : ['kube-apiserver', 'kube-controller-manager'].map(restart)),
    ]
    return { steps, objects: [] }
  }
  const { steps } = await upgradeSteps({
    driver,
    plane,
    stages: upgradeStages(plane, upgradedSpec(plane, { version })),
    signal,
  })
  return steps.map(stepText)
}
