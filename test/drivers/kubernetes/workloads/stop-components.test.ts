import { expect, test } from 'vitest'
import { workloadPath } from '../../../../src/drivers/kubernetes/observed/workloads.ts'
import {
  stopComponents,
  type StopOptions,
} from '../../../../src/drivers/kubernetes/workloads/stop-components.ts'
import {
  COMPONENT_LABEL,
  MANAGED_BY,
  NAME_ANNOTATION,
  objectLabels,
  SYNCED_BY_LABEL,
  SYNCER,
} from '../../../../src/manifests/object-names.ts'
import { MemoryHostApi } from '../../../support/api/memory-host-api.ts'
import { RecordingUi } from '../../../support/driver/recording-ui.ts'

const PLACE = { name: 'dev', namespace: 'team-a' }
const POD = '/api/v1/namespaces/team-a/pods/vplane-dev-kube-apiserver-1'
const SYNCED_POD = '/api/v1/namespaces/team-a/pods/web-x-shop-x-dev'
const COMPONENT = 'kube-apiserver'

test('ends a pod that hangs when its time is over', async () => {
  const { api, deletions } = hangingApi()

  await stop(api, { graceSeconds: 2 })

  expect(deletions).toEqual([[POD, 2]])
  expect(api.objects.get(workloadPath(PLACE, COMPONENT))).toMatchObject({ spec: { replicas: 0 } })
})

test('leaves a pod the time that it has, and fails when that is not enough', async () => {
  const { api, deletions } = hangingApi()

  await expect(stop(api, {})).rejects.toMatchObject({ code: 'TIMED_OUT' })

  expect(deletions).toEqual([])
})

test.for([
  [undefined, 30],
  [45, 45],
  // Its user could hold the plane's owner up for weeks.
  [5_000_000, 600],
] as const)(
  'gives a pod that the plane runs, with a grace period of %s s, %i s',
  async ([own, given]) => {
    const { api, deletions } = hangingApi()
    api.put(SYNCED_POD, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'web-x-shop-x-dev',
        namespace: 'team-a',
        labels: { [MANAGED_BY]: SYNCER, [SYNCED_BY_LABEL]: 'dev' },
        annotations: { [NAME_ANNOTATION]: 'web' },
      },
      spec: { terminationGracePeriodSeconds: own },
    })

    await stop(api, { components: ['syncer'] })

    expect(deletions).toEqual([[SYNCED_POD, given]])
  },
)

/** A host with a pod that only ends when it is deleted. */
function hangingApi() {
  const api = new MemoryHostApi()
  const deletions: unknown[] = []
  const labels = { ...objectLabels('dev'), [COMPONENT_LABEL]: COMPONENT }
  const metadata = (name: string) => ({ name, namespace: 'team-a', labels })
  const name = 'vplane-dev-kube-apiserver'
  api.put(workloadPath(PLACE, COMPONENT), {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadata(name),
    spec: { replicas: 1 },
  })
  api.put(POD, { apiVersion: 'v1', kind: 'Pod', metadata: metadata(`${name}-1`) })
  const remove = api.delete.bind(api)
  api.delete = (path, options) => {
    deletions.push([path, options?.graceSeconds])
    return remove(path, options)
  }
  return { api, deletions }
}

function stop(
  api: MemoryHostApi,
  options: Partial<Pick<StopOptions, 'components' | 'graceSeconds'>>,
): Promise<void> {
  const operation = { ui: new RecordingUi(), signal: AbortSignal.timeout(5000), timeoutMs: 100 }
  const components = [COMPONENT] as const
  const journal = { step: () => Promise.resolve() }
  return stopComponents(api, journal, { place: PLACE, components, operation, ...options })
}
