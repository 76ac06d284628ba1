import { expect, test } from 'vitest'
import { diagnose } from '../../../../src/drivers/kubernetes/diagnosis/diagnose.ts'
import type { KubeObject } from '../../../../src/shared/kube/kube-object.ts'
import { objectLabels } from '../../../../src/manifests/object-names.ts'
import { MemoryHostApi } from '../../../support/api/memory-host-api.ts'
import { refusing } from '../../../support/driver/refusing.ts'
import { objectOf } from '../fake-cluster.ts'
import { podWith } from './some-pods.ts'

const COMPONENT = 'kube-apiserver'
const AT = '/namespaces/team-a'
const SEEN = { generation: 2, observedGeneration: 2 }
const UNSEEN = { generation: 2, observedGeneration: 1 }
const CRASHED = { terminated: { exitCode: 1, reason: 'Error' } }

test.for([
  ['of the current template', SEEN, { old: '1', new: '2' }, ['new'], true],
  ['of the restored template', SEEN, { old: '3', new: '2' }, ['new'], false],
  ['of the former template', SEEN, { old: '1', new: '2' }, ['old'], false],
  ['of both templates', SEEN, { old: '1', new: '2' }, ['old', 'new'], true],
  ['by their number, not by its first digit', SEEN, { old: '9', new: '10' }, ['old'], false],
  ['before the host has observed it', UNSEEN, { old: '1' }, ['old'], false],
  ['without ReplicaSets', SEEN, {}, ['old'], true],
] as const)(
  'counts the pods that crash when they are %s',
  async ([, { generation, observedGeneration }, revisions, pods, isProblem]) => {
    const host = hostWith(pods)
    const deployment = objectOf('Deployment', { ...own('deployment'), generation })
    host.objects.set(`/apis/apps/v1${AT}/deployments/x`, {
      ...deployment,
      spec: { replicas: 1 },
      status: { observedGeneration, replicas: 1 },
    })
    for (const [hash, revision] of Object.entries(revisions)) {
      const annotations = { 'deployment.kubernetes.io/revision': revision }
      const replicaSet = objectOf('ReplicaSet', { ...own(hash), annotations })
      host.objects.set(`/apis/apps/v1${AT}/replicasets/${hash}`, replicaSet)
    }

    const problems = await problemsOf(host)

    expect(problems).toHaveLength(isProblem ? 1 : 0)
    expect(problems.every(({ final }) => final)).toBe(true)
  },
)

test('counts all of them when ReplicaSets may not be read', async () => {
  const host = hostWith(['old'], refusing(403, 'forbidden', /replicasets/))
  const deployment = objectOf('Deployment', own('deployment'))
  host.objects.set(`/apis/apps/v1${AT}/deployments/x`, deployment)

  expect(await problemsOf(host)).toHaveLength(1)
})

/** A host with pods of kube-apiserver that have ended and cannot continue. */
function hostWith(
  pods: readonly string[],
  hooks: ConstructorParameters<typeof MemoryHostApi>[0] = {},
): MemoryHostApi {
  const host = new MemoryHostApi(hooks)
  const conditions = [{ type: 'Ready', status: 'False' }]
  const containerStatuses = [{ name: COMPONENT, restartCount: 1, state: CRASHED }]
  for (const pod of pods) {
    host.objects.set(
      `/api/v1${AT}/pods/${pod}`,
      podWith({ phase: 'Running', conditions, containerStatuses }, own(pod)),
    )
    host.texts.set(`/api/v1${AT}/pods/${pod}/log`, 'Error: unknown flag: --no-such-flag')
  }
  return host
}

function own(hash: string): KubeObject['metadata'] {
  const labels = { ...objectLabels('dev', COMPONENT), 'pod-template-hash': hash }
  return { name: hash, namespace: 'team-a', uid: hash, labels }
}

function problemsOf(api: MemoryHostApi): ReturnType<typeof diagnose> {
  const signal = new AbortController().signal
  return diagnose({ api, name: 'dev', namespace: 'team-a', now: new Date(), signal })
}
