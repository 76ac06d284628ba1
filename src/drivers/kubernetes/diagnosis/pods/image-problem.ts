import { PLACER, RECEIVER } from '../../../../manifests/restore/restore-scripts.ts'
import { kubectl } from '../../context/kubectl-hint.ts'
import type { ContainerStatus, HostNote, Pod } from '../../host/host-pod.ts'
import { notesAbout, timesNoted } from '../../host/host-pod.ts'
import type { Problem, ProblemContext } from '../../context/problem.ts'
import type { Hint } from '../../../../shared/hint.ts'

/** What a registry or the way to it gets over by itself. */
const PASSING =
  /toomanyrequests|429 |\b50[0234]\b|unexpected EOF|connection reset|TLS handshake timeout|context deadline exceeded|server misbehaving/i

const DENIED = /unauthorized|authentication required|denied|\b401\b|\b403\b/i

/** A way that is shut is mostly shut for good, as in clusters that reach no registry but a mirror of their own. */
const UNREACHABLE =
  /no such host|i\/o timeout|connection refused|no route to host|network is unreachable/i

interface Subject {
  status: ContainerStatus
  notes: readonly HostNote[]
  context: ProblemContext
}

/** Why the image of a container is not there. */
export function imageProblem(pod: Pod, { context, notes, status }: Subject): Problem | undefined {
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
        { said: reportedMessage(pod, message, notes), image, container: status.name },
        { pod, notes, context },
      )
    default:
      return undefined
  }
}

function pullProblem(
  state: string,
  { container, image, said }: { said: string; image: string; container: string },
  { context, notes, pod }: { pod: Pod; notes: readonly HostNote[]; context: ProblemContext },
): Problem {
  const tries = notesAbout(pod, notes, 'Failed').filter(({ message }) => isPull(message))
  const isFirst = timesNoted(tries) < 2
  return {
    state,
    reason: `image "${image}" cannot be pulled: ${lastPart(said)}`,
    hints: hintsFor(said, container, { pod, context }),
    final: !(isFirst && (PASSING.test(said) || said === '')),
  }
}

/** What the registry said; older hosts say it in a note only. */
function reportedMessage(pod: Pod, message: string, notes: readonly HostNote[]): string {
  const own = message.replace(/^Back-off pulling image "[^"]*"(?:: ErrImagePull: )?/, '')
  const noted = notesAbout(pod, notes, 'Failed').findLast((note) => isPull(note.message))
  return own === '' ? (noted?.message ?? '') : own
}

function isPull(message = ''): boolean {
  return message.startsWith('Failed to pull image')
}

/** Container runtimes say in three ways what they tried before they say what went wrong. */
function lastPart(said: string): string {
  const parts = said.split(
    /failed to (?:pull and unpack image|resolve reference|do request|authorize)(?: "[^"]*")?: /,
  )
  return (
    (parts.at(-1) ?? said)
      .replace(/^rpc error: code = \w+ desc = /, '')
      .replace(/^(?:Head|Get) "[^"]*": /, '')
      .trim() || 'the host cluster does not say why'
  )
}

function hintsFor(
  said: string,
  container: string,
  { context, pod: { metadata } }: { context: ProblemContext; pod: Pod },
): Hint[] {
  const describe = kubectl(context, `describe pod ${metadata.name}`)
  if (DENIED.test(said)) {
    return [
      kubectl(
        context,
        'create secret docker-registry pull --docker-server=… --docker-username=… --docker-password=…',
      ),
      { purpose: 'with that', set: 'images.pullSecrets=pull' },
      describe,
    ]
  }
  const other = otherImage(container)
  if (UNREACHABLE.test(said)) {
    return [{ purpose: 'a mirror that the nodes reach', ...other }, describe]
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

/** What says the image of a container by itself. */
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
