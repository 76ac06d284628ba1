import { existsSync, readdirSync, readFileSync, rmdirSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hasErrorCode } from '../../../src/shared/errors.ts'
import { sendSignal } from '../../../src/shared/processes/send-signal.ts'
import { waitFor } from '../../../src/shared/wait.ts'

const PARENT = 'vplane-lab'
const END_TIMEOUT_MS = 30_000

/**
 * The control groups of a cluster: its processes are in `system`, its nodes' pods in a group per node. What is in
 * them is the cluster's, however it was started, so they are what `down` goes by.
 */
export interface ClusterCgroups {
  /** Makes them; those that are there stay. */
  make(nodes: readonly string[]): Promise<void>
  /** Group of a node's pods, as kubelets are told it. */
  nodeGroup(node: string): string
  /** The files whose writers join the group of the cluster's own processes. */
  joinFiles(): string[]
  /** Ids of all processes in all groups. */
  processes(): number[]
  /** Kills every process in them and removes them. */
  remove(signal: AbortSignal): Promise<void>
}

/** The control groups of one cluster, in version 1 (a tree per controller) or version 2 (one tree). */
export function clusterCgroups(cluster: string, root = '/sys/fs/cgroup'): ClusterCgroups {
  const own = `${PARENT}/${cluster}`
  const trees = hierarchies(root)
  const tops = () => trees.map((tree) => join(tree, own)).filter((path) => existsSync(path))
  const processes = () => [...new Set(tops().flatMap(processesBelow))]
  return {
    make: async (nodes) => {
      for (const tree of trees) {
        for (const group of [`${own}/system`, ...nodes.map((node) => `${own}/${node}`)]) {
          await makeGroup(tree, group)
        }
      }
    },
    nodeGroup: (node) => `/${own}/${node}`,
    joinFiles: () => trees.map((tree) => join(tree, own, 'system', 'cgroup.procs')),
    processes,
    remove: async (signal) => {
      await waitFor(
        () => {
          processes().forEach((id) => sendSignal(id, 'SIGKILL'))
          return Promise.resolve(tops().every((top) => removeTree(top)))
        },
        { what: `the end of all processes of "${cluster}"`, timeoutMs: END_TIMEOUT_MS, signal },
      )
      trees.map((tree) => join(tree, PARENT)).forEach((parent) => removeGroup(parent))
    },
  }
}

/** The trees of control groups: the root itself in version 2, else every folder that is one. */
function hierarchies(root: string): string[] {
  if (existsSync(join(root, 'cgroup.controllers'))) {
    return [root]
  }
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(root, entry.name, 'cgroup.procs')))
    .map((entry) => join(root, entry.name))
}

async function makeGroup(tree: string, group: string): Promise<void> {
  let path = tree
  for (const name of group.split('/')) {
    const parent = path
    path = join(path, name)
    await delegate(parent)
    if (!existsSync(path)) {
      await mkdir(path).catch((error: unknown) => {
        if (!hasErrorCode(error, 'EEXIST')) {
          throw error
        }
      })
      await inheritCpus(parent, path)
    }
  }
  await delegate(path)
}

/** Version 2: children get controllers only from a parent that hands them down, and one with processes cannot. */
async function delegate(path: string): Promise<void> {
  const controllers = join(path, 'cgroup.controllers')
  if (path.endsWith('/system') || !existsSync(controllers)) {
    return
  }
  const names = readFileSync(controllers, 'utf8').trim().split(/\s+/)
  for (const name of names.filter((each) => each !== '')) {
    await writeFile(join(path, 'cgroup.subtree_control'), `+${name}`)
  }
}

/** Version 1: a new group of cpuset has neither processors nor memory, and takes no process. */
async function inheritCpus(parent: string, path: string): Promise<void> {
  if (existsSync(join(path, 'cpuset.cpus')) && !existsSync(join(path, 'cgroup.controllers'))) {
    for (const file of ['cpuset.cpus', 'cpuset.mems']) {
      await writeFile(join(path, file), readFileSync(join(parent, file)))
    }
  }
}

function groupsBelow(top: string): string[] {
  try {
    const children = readdirSync(top, { withFileTypes: true }).filter((each) => each.isDirectory())
    return [...children.flatMap((child) => groupsBelow(join(top, child.name))), top]
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) {
      return []
    }
    throw error
  }
}

function processesBelow(top: string): number[] {
  return groupsBelow(top).flatMap((group) => {
    try {
      const text = readFileSync(join(group, 'cgroup.procs'), 'utf8')
      return text.split('\n').flatMap((line) => (/^\d+$/.test(line) ? [Number(line)] : []))
    } catch (error) {
      if (['ENOENT', 'ENODEV', 'EOPNOTSUPP'].some((code) => hasErrorCode(error, code))) {
        return []
      }
      throw error
    }
  })
}

/** Removes a control group with those below it. Returns false while a process is in one. */
export function removeTree(top: string): boolean {
  return groupsBelow(top).every((group) => removeGroup(group))
}

/** False when there is still something in it. */
function removeGroup(path: string): boolean {
  try {
    rmdirSync(path)
    return true
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) {
      return true
    }
    if (hasErrorCode(error, 'EBUSY') || hasErrorCode(error, 'ENOTEMPTY')) {
      return false
    }
    throw error
  }
}
