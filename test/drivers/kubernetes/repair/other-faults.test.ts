import type { JournalEntry } from '../../../../src/control-plane/operations/journal.ts'
import { expect, test } from 'vitest'
import type { AnyComponentName } from '../../../../src/control-plane/plane/plane.ts'
import type { ComponentProblem } from '../../../../src/drivers/kubernetes/context/problem.ts'
import type { KubeObject } from '../../../../src/shared/kube/kube-object.ts'
import { otherFaults } from '../../../../src/drivers/kubernetes/repair/other-faults.ts'
import { objectOf } from '../fake-cluster.ts'
import { NOTHING } from '../../../../src/drivers/kubernetes/observed/observed-plane.ts'
import { planeRecordOf } from '../plane-record-of.ts'

const NOW = new Date('2026-06-01T12:00:00Z')
const API = 'kube-apiserver'
const MANAGER = 'kube-controller-manager'

interface Case {
  /** How many seconds pods that are not ready are there. */
  unready?: Partial<Record<AnyComponentName, number>>
  /** How many seconds ago pods should have ended. */
  ending?: Partial<Record<AnyComponentName, number>>
  /** Workloads that are gone, or have no pods. */
  gone?: AnyComponentName[]
  empty?: AnyComponentName[]
  /** The record wants two pods of each workload, and one exists; the interrupted operation, if any. */
  halved?: JournalEntry['operation'] | 'nothing'
  /** What the host says: component and state. */
  problems?: Array<[AnyComponentName, string]>
  isEtcdFine?: boolean
}

test.for<[what: string, facts: Case, faults: string[]]>([
  ['finds nothing', {}, []],
  ['gives new pods time', { unready: { [API]: 5 } }, []],
  [
    'what has just come and does not answer yet needs time',
    { unready: { [API]: 5 }, problems: [[API, 'Unhealthy']] },
    [],
  ],
  [
    'what has not answered for long is restarted',
    { unready: { [API]: 90 }, problems: [[API, 'Unhealthy']] },
    [`${API}-0 restart`],
  ],
  [
    'what has just come and never will is told',
    { unready: { [MANAGER]: 5 }, problems: [[MANAGER, 'ErrImagePull']] },
    [`${MANAGER}-0 none`],
  ],
  ['restarts what does not become ready', { unready: { [API]: 90 } }, [`${API}-0 restart`]],
  ['gives replaced pods time to end', { ending: { [API]: -20 } }, []],
  [
    'what is being replaced and does not answer any more needs time to end',
    { ending: { [API]: 20 }, problems: [[API, 'Unhealthy']] },
    [],
  ],
  ['restarts what does not end', { ending: { [API]: 90 } }, [`${API}-0 restart`]],
  ['leaves dependents alone', { unready: { [API]: 90, [MANAGER]: 90 } }, [`${API}-0 restart`]],
  ['reports nothing else without etcd', { unready: { [API]: 90 }, isEtcdFine: false }, []],
  ['restores what is missing', { gone: ['etcd', MANAGER] }, ['etcd start', `${MANAGER} start`]],
  ['restores what was scaled to 0', { empty: [API] }, [`${API} start`]],
  [
    'what was scaled down is put back, and the rest is looked at all the same',
    { halved: 'nothing', unready: { [MANAGER]: 90 } },
    [`${API} start`, `${MANAGER}-0 restart`],
  ],
  ['restores it after an interrupted repair', { halved: 'repair' }, [`${API} start`]],
  ['leaves it to an interrupted change', { halved: 'change' }, []],
  ['restarts a crash loop', { problems: [[API, 'CrashLoopBackOff']] }, [`${API}-0 restart`]],
  ['leaves an image to the user', { problems: [[MANAGER, 'ErrImagePull']] }, [`${MANAGER}-0 none`]],
  [
    'a person is told whatever else is wrong',
    { problems: [[MANAGER, 'ErrImagePull']], isEtcdFine: false },
    [`${MANAGER}-0 none`],
  ],
])('%s', ([, facts, wanted]) => {
  const { empty = [], ending = {}, gone = [], halved, problems = [], unready = {} } = facts
  const { isEtcdFine = true } = facts
  const entry = { step: 'some step', at: NOW.toISOString(), holder: 'gone' }

  const faults = otherFaults({
    record: planeRecordOf('dev', {
      ...(halved === undefined ? {} : { userSpec: { apiServer: { replicas: 2 } } }),
      ...(halved === undefined || halved === 'nothing'
        ? {}
        : { journal: { ...entry, operation: halved } }),
    }),
    observed: {
      ...NOTHING,
      workload: (component) =>
        gone.includes(component)
          ? undefined
          : workloadOf(component, empty.includes(component) ? 0 : 1),
      pods: (component) => [podOf(component, unready[component], ending[component])],
    },
    problems: problems.map(([component, state]) => problemOf(component, state)),
    isEtcdFine,
    now: NOW,
  })

  expect(faults.map(({ instance, remedy }) => `${instance} ${remedy}`)).toEqual(wanted)
})

function workloadOf(name: string, replicas: number): KubeObject {
  return { ...objectOf('Deployment', { name }), spec: { replicas } }
}

function podOf(component: string, unreadySeconds?: number, endedSeconds?: number): KubeObject {
  const secondsAgo = (count: number) => new Date(NOW.getTime() - count * 1000).toISOString()
  const creationTimestamp = secondsAgo(unreadySeconds ?? 300)
  const status = unreadySeconds === undefined ? 'True' : 'False'
  const end = endedSeconds === undefined ? {} : { deletionTimestamp: secondsAgo(endedSeconds) }
  return {
    ...objectOf('Pod', { name: `${component}-0`, creationTimestamp, ...end }),
    status: { conditions: [{ type: 'Ready', status }] },
  }
}

function problemOf(component: AnyComponentName, state: string): ComponentProblem {
  const object = `Pod "${component}-0"`
  return { component, object, state, reason: state, hints: [], final: state !== 'Unhealthy' }
}
