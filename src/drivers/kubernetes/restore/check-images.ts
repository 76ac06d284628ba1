import type { Operation } from '../../../control-plane/driver/operation.ts'
import { httpStatusOf } from '../../../kube/kube-error.ts'
import type { Manifest } from '../../../manifests/manifest.ts'
import { imageCheckPod } from '../../../manifests/restore/image-check-pod.ts'
import { messageOf, VplaneError } from '../../../shared/errors.ts'
import { waitFor } from '../../../shared/wait.ts'
import { collectionPath, objectPath } from '../../../shared/kube/collections.ts'
import type { Host } from '../context/context.ts'
import { containerProblem } from '../diagnosis/pods/container-problem.ts'
import {
  type ContainerStatus,
  failedCondition,
  isEvent,
  isPod,
  type Pod,
} from '../host/host-pod.ts'
import { type PlacedName, planeSelector } from '../context/object-names.ts'
import { unlessRefused } from '../host/unless-refused.ts'
import { watchForWakeUps } from '../host/wake-ups.ts'

const TIMEOUT_MS = 300_000

export interface CheckImagesOptions {
  place: PlacedName
  /** The store of the plane. */
  component: 'etcd' | 'kine'
  /** Of the store, without changes for a restore. */
  statefulSet: Manifest
  helperImage: string
  operation: Operation
}

/**
 * Returns when the host runs the images that a restore needs: in pods of the plane, or in a temporary pod that is
 * deleted afterwards. Skips the check when the user may not create that pod, or no node has room for it.
 *
 * @throws {VplaneError} `COMPONENT_FAILED` when an image cannot be pulled, `TIMED_OUT`, `INVALID_SPEC` when a template
 * of the user has no container of the store with a volume "data".
 */
export async function checkImages(
  host: Pick<Host, 'api' | 'context'>,
  { component, helperImage, operation, place, statefulSet }: CheckImagesOptions,
): Promise<void> {
  const { api } = host
  const { signal, timeoutMs = TIMEOUT_MS, ui } = operation
  const { namespace } = place
  const pod = imageCheckPod(statefulSet, { ...place, component, helperImage })
  if (await isAllRunning(api, pod, { place, signal })) {
    return
  }
  ui.step('Checking whether the host can pull its images')
  const { name } = pod.metadata
  const path = objectPath('pods', { name, namespace })
  const remove = (by: AbortSignal) => api.delete(path, { graceSeconds: 0, signal: by })
  await using stack = new AsyncDisposableStack()
  try {
    await remove(signal)
    await api.create(collectionPath('pods', namespace), pod, { signal })
  } catch (error) {
    if (httpStatusOf(error) !== 403) {
      throw error
    }
    ui.note(`vplane did not check whether the host can pull its images: ${messageOf(error)}`)
    return
  }
  stack.defer(async () => {
    await remove(AbortSignal.timeout(timeoutMs))
  })
  const fieldSelector = `metadata.name=${name}`
  const pods = collectionPath('pods', namespace)
  const changes = stack.use(watchForWakeUps(api, pods, { fieldSelector }))
  await waitFor(
    async (deadline) => {
      const found = await api.get(path, { signal: deadline })
      if (found === undefined || !isPod(found) || hasRun(found) || isWithoutRoom(found)) {
        return true
      }
      await refuseMissing(host, found, { place, component, helperImage, signal: deadline })
      await changes.next(deadline)
      return false
    },
    { what: `the images of "${place.name}"`, timeoutMs, signal },
  )
}

interface CheckOptions {
  place: PlacedName
  signal: AbortSignal
}

/** Whether pods of the plane already run all images of the temporary pod. */
async function isAllRunning(
  api: Pick<Host['api'], 'list'>,
  pod: Manifest,
  { place, signal }: CheckOptions,
): Promise<boolean> {
  const path = collectionPath('pods', place.namespace)
  const { items } = await api.list(path, { labelSelector: planeSelector(place.name), signal })
  const running = items.filter(isPod).filter(({ status }) => status?.phase === 'Running')
  const present = new Set(running.flatMap(imagesOf))
  const wanted: Pod = { ...pod }
  return imagesOf(wanted).every((image) => present.has(image))
}

function imagesOf({ spec }: Pod): string[] {
  return (spec?.containers ?? []).map(({ image = '' }) => image)
}

/** A container that was started had its image. */
function hasRun({ spec, status }: Pod): boolean {
  const statuses = status?.containerStatuses ?? []
  return statuses.length === spec?.containers?.length && statuses.every(wasStarted)
}

function wasStarted({ state }: ContainerStatus): boolean {
  return state?.running !== undefined || state?.terminated?.exitCode === 0
}

/** Room does not matter: the pods of the store keep the room that they have now. */
function isWithoutRoom(pod: Pod): boolean {
  return failedCondition(pod, 'PodScheduled')?.reason === 'Unschedulable'
}

async function refuseMissing(
  { api, context: hostContext }: Pick<Host, 'api' | 'context'>,
  pod: Pod,
  {
    component,
    helperImage,
    place,
    signal,
  }: CheckOptions & Pick<CheckImagesOptions, 'component' | 'helperImage'>,
): Promise<void> {
  const fieldSelector = `involvedObject.name=${pod.metadata.name}`
  const path = collectionPath('events', place.namespace)
  const listed = await unlessRefused(api.list(path, { fieldSelector, signal }))
  const events = (listed?.items ?? []).filter(isEvent)
  const context = { ...place, hostContext, component }
  const containerStatuses = pod.status?.containerStatuses?.filter((one) => !wasStarted(one)) ?? []
  const status = { ...pod.status, containerStatuses }
  const problem = containerProblem({ ...pod, status }, events, context)
  if (problem?.final === true) {
    const setting = (purpose: string, what: string) =>
      ({ purpose, action: 'set', plane: place, what }) as const
    throw new VplaneError(
      'COMPONENT_FAILED',
      `"${place.name}" was left as it is, as it could not be restored: ${problem.reason}`,
      {
        hints: [
          ...(problem.reason.includes(helperImage)
            ? [
                {
                  purpose: 'to use another image with Node.js, such as one of a mirror',
                  helperImage: 'IMAGE',
                },
                setting('to use it for all later restores', 'images.helper=IMAGE'),
              ]
            : [setting('another registry', 'images.registry=REGISTRY')]),
          setting('when the registry wants a login', 'images.pullSecrets=SECRET'),
        ],
      },
    )
  }
}
