import { randomBytes } from 'node:crypto'
import { createWriteStream, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { BUSYBOX_IMAGE } from '../../test/lab/images/lab-images.ts'
import { alternate } from '../alternate.ts'
import { ratio } from '../compare.ts'
import type { Figure, Result } from '../figure.ts'
import { makeSyncedPlane } from '../host/host-synced-plane.ts'
import { median } from '../statistics.ts'
import type { Workspace } from '../workspace.ts'

const NAME = 'bench-copy'
const MEGABYTES = 1000
const POD = 'copy'
const IN_POD = '/data/file'

/** A way to a pod that can be copied to. */
interface Place {
  /** Runs a command of a shell in which `kubectl` reaches it; returns how long it took, in milliseconds. */
  sh: (command: string) => Promise<number>
}

interface Files {
  sent: string
  returned: string
}

/** `kubectl cp` of a large file into and out of a pod of a plane, beside the same pod on the host. */
export const hostCopyFigure: Figure = {
  name: 'host-copy',
  async measure({ host: openHost, rounds, workspace }) {
    const host = await openHost()
    if (host === undefined) {
      return []
    }
    await using plane = await makeSyncedPlane(host, NAME)
    await using namespace = await host.namespace(`${NAME}-host`)
    const files = {
      sent: join(workspace.folder, 'copy-sent'),
      returned: join(workspace.folder, 'copy-returned'),
    }
    await writeRandom(files.sent)
    const ofPlane = await startPod(workspace, plane.kubeconfig, 'default')
    const ofHost = await startPod(workspace, host.lab.kubeconfigPath, namespace.name)
    // The file has to exist before the first is read.
    await copyIn(ofPlane, files)
    await copyIn(ofHost, files)
    const samples = await alternate(rounds, {
      hostStreamIn: () => streamIn(ofHost, files),
      hostStreamOut: () => streamOut(ofHost),
      planeStreamIn: () => streamIn(ofPlane, files),
      planeStreamOut: () => streamOut(ofPlane),
      hostIn: () => copyIn(ofHost, files),
      planeIn: () => copyIn(ofPlane, files),
      hostOut: () => copyOut(ofHost, files),
      planeOut: () => copyOut(ofPlane, files),
    })
    await Promise.all(Object.values(files).map((file) => rm(file)))
    return [resultOf(samples, 'In'), resultOf(samples, 'Out')]
  },
}

type Samples = Record<`${'host' | 'plane'}${'' | 'Stream'}${'In' | 'Out'}`, number[]>

function resultOf(samples: Samples, way: 'In' | 'Out'): Result {
  const speed = (name: keyof Samples) => (MEGABYTES / (median(samples[name]) / 1000)).toFixed(0)
  const [copies, streams] = [`plane${way}`, `planeStream${way}`] as const
  const [hostCopies, hostStreams] = [`host${way}`, `hostStream${way}`] as const
  const direction = way === 'In' ? 'into' : 'out of'
  return ratio({
    name: `host-copy-${way.toLowerCase()}`,
    what: `\`kubectl cp\` of 1 GB ${direction} a pod of a plane`,
    unit: 'ms',
    of: copies,
    to: { samples: hostCopies, what: 'the same pod on the host' },
    samples,
    notes: [
      `${speed(copies)} MB/s, on the host ${speed(hostCopies)} MB/s`,
      `the same bytes with \`kubectl exec\` and wc or cat, without tar: ${speed(streams)} MB/s, on the host ${speed(hostStreams)} MB/s`,
    ],
  })
}

function copyIn({ sh }: Place, { sent }: Files): Promise<number> {
  return sh(`kubectl cp "${sent}" ${POD}:${IN_POD}`)
}

/** @throws {Error} when another file came back than the one that was sent. */
async function copyOut({ sh }: Place, { returned, sent }: Files): Promise<number> {
  const ms = await sh(`kubectl cp ${POD}:${IN_POD} "${returned}"`)
  await sh(`cmp "${sent}" "${returned}"`)
  return ms
}

/** busybox' cat ends early when it copies a pipe to a file; wc reads everything. */
function streamIn({ sh }: Place, { sent }: Files): Promise<number> {
  return sh(`test "$(kubectl exec -i ${POD} -- wc -c < "${sent}")" -eq ${MEGABYTES * 1e6}`)
}

function streamOut({ sh }: Place): Promise<number> {
  return sh(`kubectl exec ${POD} -- cat ${IN_POD} > /dev/null`)
}

/** Starts a pod with room for the file in memory: disks would make the figure less exact. */
async function startPod(workspace: Workspace, source: string, namespace: string): Promise<Place> {
  const file = join(workspace.folder, `${namespace}-copy.kubeconfig`)
  const manifest = join(workspace.folder, 'copy-pod.json')
  writeFileSync(manifest, JSON.stringify(pod()))
  const sh = async (command: string) =>
    (await workspace.run(['sh', '-c', command], { KUBECONFIG: file })).ms
  await workspace.run(['cp', source, file])
  await sh(`kubectl config set-context --current --namespace ${namespace}`)
  await sh(`kubectl apply -f "${manifest}"`)
  await sh(`kubectl wait pod/${POD} --for=condition=Ready --timeout=60s`)
  return { sh }
}

function pod() {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: POD },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: POD,
          image: BUSYBOX_IMAGE,
          command: ['sleep', '1000000'],
          volumeMounts: [{ name: 'data', mountPath: '/data' }],
        },
      ],
      volumes: [{ name: 'data', emptyDir: { medium: 'Memory' } }],
    },
  }
}

/** Nothing on the way can make random bytes smaller. */
async function writeRandom(file: string): Promise<void> {
  const pieces = Readable.from(randomPieces())
  await pipeline(pieces, createWriteStream(file))
}

function* randomPieces() {
  for (let megabyte = 0; megabyte < MEGABYTES; megabyte += 1) {
    yield randomBytes(1e6)
  }
}
