import { constants } from 'node:fs'
import { access, readdir, statfs } from 'node:fs/promises'
import { freemem } from 'node:os'
import { dirname, join } from 'node:path'
import type { Finding } from '../control-plane/status/finding.ts'
import { isReadable } from '../control-plane/plane/unreadable-plane.ts'
import { within } from '../shared/wait.ts'
import { messageOf } from '../shared/errors.ts'
import { examineBinaries } from './examine-binaries.ts'
import { compose, type ComposeOptions, type Composition } from '../compose/compose.ts'

/** A plane of the default size takes about this much; see docs/performance.md. */
const PLANE_MEMORY_MIB = 300

const HOST_MS = 5000

/** Binaries of one version, and room for the data of a plane. */
const NEEDED_DISK_MIB = 1024

/** Checks everything that planes on this machine depend on. Changes nothing. */
export async function examineMachine(options: ComposeOptions): Promise<Finding[]> {
  await using composition = compose(options)
  const { paths } = composition
  const checks = [
    ...[paths.data, paths.cache, paths.config].map((folder) => folderFinding(folder)),
    diskFinding(paths.data),
    memoryFinding(),
    examineBinaries(composition),
    kubeconfigFinding(composition),
    planesFinding(composition),
    hostFinding(composition),
    leftoversFinding(paths.data),
  ]
  return (await Promise.all(checks)).flat()
}

async function folderFinding(folder: string): Promise<Finding> {
  const subject = `folder ${folder}`
  const existing = await nearestExisting(folder)
  try {
    await access(existing, constants.W_OK)
    return {
      subject,
      level: 'ok',
      message: existing === folder ? 'can be written' : 'can be created',
    }
  } catch (error) {
    return {
      subject,
      level: 'problem',
      message: messageOf(error),
      hint: `make ${existing} writable, or set VPLANE_HOME to another folder`,
    }
  }
}

async function diskFinding(folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(await nearestExisting(folder))
  const freeMib = Math.floor((bavail * bsize) / 1024 ** 2)
  return freeMib < NEEDED_DISK_MIB
    ? {
        subject: 'disk',
        level: 'problem',
        message: `${freeMib} MiB free, ${NEEDED_DISK_MIB} MiB are needed`,
        hint: { action: 'prune-binaries' },
      }
    : { subject: 'disk', level: 'ok', message: `${freeMib} MiB free` }
}

async function memoryFinding(): Promise<Finding> {
  const freeMib = Math.floor(freemem() / 1024 ** 2)
  const message = `${freeMib} MiB free; a plane takes about ${PLANE_MEMORY_MIB} MiB`
  return freeMib < PLANE_MEMORY_MIB
    ? {
        subject: 'memory',
        level: 'warning',
        message,
        hint: { action: 'pause', plane: { name: 'NAME' } },
      }
    : { subject: 'memory', level: 'ok', message }
}

async function kubeconfigFinding({ contexts }: Composition): Promise<Finding> {
  try {
    const planes = await contexts.planes()
    const names = planes.map(({ name }) => name).join(', ')
    return {
      subject: 'kubeconfig',
      level: 'ok',
      message: names === '' ? 'can be read, no plane is connected' : `connected planes: ${names}`,
    }
  } catch (error) {
    return {
      subject: 'kubeconfig',
      level: 'problem',
      message: messageOf(error),
      hint: 'to find the error: kubectl config view',
    }
  }
}

async function planesFinding({ drivers }: Composition): Promise<Finding> {
  const local = drivers.filter(({ name }) => name === 'local')
  const planes = (await Promise.all(local.map((driver) => driver.list()))).flat()
  const damaged = planes.filter((plane) => !isReadable(plane)).map(({ name }) => name)
  return damaged.length > 0
    ? {
        subject: 'planes',
        level: 'warning',
        message: `stored state cannot be read: ${damaged.join(', ')}`,
        hint: { action: 'delete', plane: { name: damaged[0] ?? '' } },
      }
    : { subject: 'planes', level: 'ok', message: `${planes.length} planes` }
}

/** Planes on this machine need no host cluster: one that does not answer is a warning only. */
async function hostFinding({
  drivers,
  hostContext,
}: Pick<Composition, 'drivers' | 'hostContext'>): Promise<Finding> {
  const subject = 'host cluster'
  try {
    const context = await hostContext()
    const driver = drivers.find(({ name }) => name === 'kubernetes')
    if (context === undefined || driver === undefined) {
      return {
        subject,
        level: 'ok',
        message: 'no current context: planes are created on this machine',
      }
    }
    const planes = await within(HOST_MS, (signal) => driver.list({ signal }))
    return { subject, level: 'ok', message: `"${context}" answers and has ${planes.length} planes` }
  } catch (error) {
    return {
      subject,
      level: 'warning',
      message: messageOf(error),
      hint: [
        'kubectl cluster-info',
        { purpose: 'to create planes on this machine', driver: 'local' },
      ],
    }
  }
}

async function leftoversFinding(data: string): Promise<Finding> {
  const names = await readdir(join(data, 'planes')).catch(() => [])
  const left = names.filter((name) => name.startsWith('.'))
  return left.length > 0
    ? {
        subject: 'leftovers',
        level: 'warning',
        message: `${left.length} folders of interrupted commands in ${join(data, 'planes')}`,
        hint: 'the next create or delete removes them',
      }
    : { subject: 'leftovers', level: 'ok', message: 'none' }
}

async function nearestExisting(folder: string): Promise<string> {
  try {
    await access(folder)
    return folder
  } catch {
    // It would be created in the nearest existing folder.
    return folder === dirname(folder) ? folder : nearestExisting(dirname(folder))
  }
}
