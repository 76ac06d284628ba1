import { PLACER, RECEIVER } from '../../../../manifests/restore/restore-scripts.ts'
import { kubectl } from '../../context/kubectl-hint.ts'
import type { ContainerStatus, HostEvent, Pod } from '../../host/host-pod.ts'
import { eventsAbout, timesReported } from '../../host/host-pod.ts'
import type { Problem, ProblemContext } from '../../context/problem.ts'
import type { Hint } from '../../../../shared/hint.ts'

/** Failures of a registry or of the network that may pass. */
const TRANSIENT =
  /toomanyrequests|429 |\b50[0234]\b|unexpected EOF|connection reset|TLS handshake timeout|context deadline exceeded|server misbehaving/i

const DENIED = /unauthorized|authentication required|denied|\b401\b|\b403\b/i

/** An unreachable registry usually stays so, as in clusters that can reach only their own mirror. */
const UNREACHABLE =
  /no such host|i\/o timeout|connection refused|no route to host|network is unreachable/i

interface Subject {
  status: ContainerStatus
  events: readonly HostEvent[]
  context: ProblemContext
}

/** Returns why the image of a container is missing. */
export function imageProblem(pod: Pod, { context, events, status }: Subject): Problem | undefined {
  const { message = '', reason: state = '' } = status.state?.waiting ?? {}
  const image = imageOf(pod, status.name)
  switch (state) {
    case 'InvalidImageName':
      return {
        state,
        reason: `"${image}" is not the name of an image: ${message}`,
        hints: [otherImage(status.name)],
        final: true,
      }
    case 'ErrImageNeverPull':
      return {
        state,
        reason: `image "${image}" is not on the node, and images.pullPolicy is Never`,
        hints: [{ set: 'images.pullPolicy=IfNotPresent' }],
        final: true,
      }
    case 'ErrImagePull':
    case 'ImagePullBackOff':
    case 'RegistryUnavailable':
    case 'ImageInspectError':
    case 'SignatureValidationFailed':
      return pullProblem(
        state,
        { error: reportedMessage(pod, message, events), image, container: status.name },
        { pod, events, context },
      )
    default:
      return undefined
  }
}

function pullProblem(
  state: string,
  { container, error, image }: { error: string; image: string; container: string },
  { context, events, pod }: { pod: Pod; events: readonly HostEvent[]; context: ProblemContext },
): Problem {
  const tries = eventsAbout(pod, events, 'Failed').filter(({ message }) => isPull(message))
  const isFirst = timesReported(tries) < 2
  return {
    state,
    reason: `image "${image}" cannot be pulled: ${lastPart(error)}`,
    hints: hintsFor(error, container, { pod, context }),
    final: !(isFirst && (TRANSIENT.test(error) || error === '')),
  }
}

/** Older hosts report the message of the registry only in an event. */
function reportedMessage(pod: Pod, message: string, events: readonly HostEvent[]): string {
  const own = message.replace(/^Back-off pulling image "[^"]*"(?:: ErrImagePull: )?/, '')
  const event = eventsAbout(pod, events, 'Failed').findLast((one) => isPull(one.message))
  return own === '' ? (event?.message ?? '') : own
}

function isPull(message = ''): boolean {
  return message.startsWith('Failed to pull image')
}

/** Returns the error after the actions that container runtimes put in front of it. */
function lastPart(error: string): string {
  const parts = error.split(
    /failed to (?:pull and unpack image|resolve reference|do request|authorize)(?: "[^"]*")?: /,
  )
  return (
    (parts.at(-1) ?? error)
      .replace(/^rpc error: code = \w+ desc = /, '')
      .replace(/^(?:Head|Get) "[^"]*": /, '')
      .trim() || 'the host cluster does not report why'
  )
}

function hintsFor(
  error: string,
  container: string,
  { context, pod: { metadata } }: { context: ProblemContext; pod: Pod },
): Hint[] {
  const describe = kubectl(context, `describe pod ${metadata.name}`)
  if (DENIED.test(error)) {
    return [
      kubectl(
        context,
        'create secret docker-registry pull --docker-server=… --docker-username=… --docker-password=…',
      ),
      { purpose: 'to use it', set: 'images.pullSecrets=pull' },
      describe,
    ]
  }
  const other = otherImage(container)
  if (UNREACHABLE.test(error)) {
    return [{ purpose: 'a mirror that nodes can reach', ...other }, describe]
  }
  return container in IMAGE_FIELDS
    ? [{ purpose: 'another image', ...other }, describe]
    : [
        { purpose: 'another version', version: 'VERSION' },
        { purpose: 'another registry', ...other },
        describe,
      ]
}

type ImageOption = Partial<Record<'helperImage' | 'imageRegistry' | 'set', string>>

const IMAGE_FIELDS: Record<string, ImageOption> = {
  syncer: { set: 'sync.image=IMAGE' },
  dns: { set: 'sync.dnsImage=IMAGE' },
  keeper: { set: 'keeper.image=IMAGE' },
  [RECEIVER]: { helperImage: 'IMAGE' },
  [PLACER]: { helperImage: 'IMAGE' },
}

function otherImage(container: string): ImageOption {
  return IMAGE_FIELDS[container] ?? { imageRegistry: 'REGISTRY' }
}

function imageOf({ spec }: Pod, container: string): string {
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])]
  return containers.find(({ name }) => name === container)?.image ?? ''
}
