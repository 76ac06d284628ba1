import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { freemem } from 'node:os'
import type { Finding } from '../control-plane/status/finding.ts'
import { isReadable } from '../control-plane/plane/unreadable-plane.ts'
import { within } from '../shared/wait.ts'
import { isVplaneError, messageOf } from '../shared/errors.ts'
import { freeSpace } from '../shared/files/free-space.ts'
import { nearestExisting, toFolderError } from '../shared/files/folder-error.ts'
import { examineBinaries } from './examine-binaries.ts'
import { examinePolicies } from './examine-policies.ts'
import { compose, type ComposeOptions, type Composition } from '../compose/compose.ts'

/** A plane of the default size takes about this much; see docs/performance.md. */
const PLANE_MEMORY_MIB = 300

const HOST_MS = 5000

/** Binaries of one version, and room for the data of a plane. */
const NEEDED_DISK_MIB = 1024

/** Checks everything that planes on this machine depend on. It lists planes, which removes what killed commands left. */
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
    hostFindings(composition),
  ]
  return (await Promise.all(checks)).flat()
}

async function folderFinding(folder: string): Promise<Finding> {
  const subject = `folder ${folder}`
  const existing = nearestExisting(folder)
  try {
    // With the slash, a file is an error.
    await access(`${existing}/`, constants.W_OK)
    const message = existing === folder ? 'can be written' : 'can be created'
    return { subject, level: 'ok', message }
  } catch (error) {
    const { message } = toFolderError(error, folder)
    const hint = `make ${existing} writable, or set VPLANE_HOME to another folder`
    return { subject, level: 'problem', message, hint }
  }
}

async function diskFinding(folder: string): Promise<Finding> {
  const subject = 'disk'
  const freeMib = Math.floor((await freeSpace(nearestExisting(folder))) / 1024 ** 2)
  const message = `${freeMib} MiB free`
  const hint = { action: 'prune-binaries' } as const
  return freeMib < NEEDED_DISK_MIB
    ? { subject, level: 'problem', message: `${message}, ${NEEDED_DISK_MIB} MiB are needed`, hint }
    : { subject, level: 'ok', message }
}

async function memoryFinding(): Promise<Finding> {
  const freeMib = Math.floor(freemem() / 1024 ** 2)
  const message = `${freeMib} MiB free; a plane takes about ${PLANE_MEMORY_MIB} MiB`
  const hint = { action: 'pause', plane: { name: 'NAME' } } as const
  return freeMib < PLANE_MEMORY_MIB
    ? { subject: 'memory', level: 'warning', message, hint }
    : { subject: 'memory', level: 'ok', message }
}

async function kubeconfigFinding({ contexts }: Composition): Promise<Finding> {
  try {
    const planes = await contexts.planes()
    const names = planes.map(({ name }) => name).join(', ')
    const message =
      names === '' ? 'can be read, no plane is connected' : `connected planes: ${names}`
    return { subject: 'kubeconfig', level: 'ok', message }
  } catch (error) {
    const hint = 'to find the error: kubectl config view'
    return { subject: 'kubeconfig', level: 'problem', message: messageOf(error), hint }
  }
}

async function planesFinding({ drivers }: Composition): Promise<Finding> {
  const local = drivers.filter(({ name }) => name === 'local')
  const planes = (await Promise.all(local.map((driver) => driver.list()))).flat()
  const damaged = planes.filter((plane) => !isReadable(plane)).map(({ name }) => name)
  const message = `stored state cannot be read: ${damaged.join(', ')}`
  const hint = { action: 'delete', plane: { name: damaged[0] ?? '' } } as const
  return damaged.length > 0
    ? { subject: 'planes', level: 'warning', message, hint }
    : { subject: 'planes', level: 'ok', message: `${planes.length} planes` }
}

/** Planes on this machine need no host cluster: one that does not answer is a warning only. */
async function hostFindings({ drivers, hostContext }: Composition): Promise<Finding[]> {
  const subject = 'host cluster'
  try {
    const context = await hostContext()
    const driver = drivers.find(({ name }) => name === 'kubernetes')
    if (context === undefined || driver === undefined) {
      const message = 'no current context: planes are created on this machine'
      return [{ subject, level: 'ok', message }]
    }
    const planes = await within(HOST_MS, (signal) => driver.list({ signal }))
    const message = `"${context}" answers and has ${planes.length} planes`
    return [{ subject, level: 'ok', message }, await examinePolicies(driver, planes, HOST_MS)]
  } catch (error) {
    if (isVplaneError(error, 'INVALID_SPEC')) {
      return [{ subject, level: 'warning', message: 'not checked: the kubeconfig is invalid' }]
    }
    const local = { purpose: 'to create planes on this machine', driver: 'local' } as const
    const hint = ['kubectl cluster-info', local]
    return [{ subject, level: 'warning', message: messageOf(error), hint }]
  }
}
