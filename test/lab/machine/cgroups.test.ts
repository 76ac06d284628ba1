import { existsSync } from 'node:fs'
import { mkdir, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { clusterCgroups } from './cgroups.ts'

const SIGNAL = new AbortController().signal

test('in version 1 makes groups in every tree, with the processors and the memory of their parent', async () => {
  await using machine = await fakeMachine({
    'cpuset/cgroup.procs': '1\n',
    'cpuset/cpuset.cpus': '0-1\n',
    'cpuset/cpuset.mems': '0\n',
    'memory/cgroup.procs': '1\n',
    'elsewhere/file': '',
  })
  // The kernel makes these files with the folder.
  await machine.write('cpuset/vplane-lab/h1/cpuset.cpus', '')
  await machine.write('cpuset/vplane-lab/h1/cpuset.mems', '')

  await clusterCgroups('h1', machine.root).make(['h1-0'])

  expect(machine.has('memory/vplane-lab/h1/system')).toBe(true)
  expect(machine.has('memory/vplane-lab/h1/h1-0')).toBe(true)
  expect(machine.has('cpuset/vplane-lab/h1/h1-0')).toBe(true)
  expect(machine.has('elsewhere/vplane-lab')).toBe(false)
})

test('in version 2 hands controllers down to pods, and not to processes', async () => {
  await using machine = await fakeMachine({ 'cgroup.controllers': 'cpu memory\n' })
  await machine.write('vplane-lab/cgroup.controllers', 'cpu memory\n')

  await clusterCgroups('h1', machine.root).make(['h1-0'])

  expect(await machine.read('cgroup.subtree_control')).toBe('+memory')
  expect(await machine.read('vplane-lab/cgroup.subtree_control')).toBe('+memory')
  expect(machine.has('vplane-lab/h1/system/cgroup.subtree_control')).toBe(false)
})

test('names the files to join, and the group of a node', async () => {
  await using machine = await fakeMachine({ 'cpu/cgroup.procs': '', 'memory/cgroup.procs': '' })
  const cgroups = clusterCgroups('h1', machine.root)

  expect(cgroups.joinFiles()).toEqual([
    join(machine.root, 'cpu/vplane-lab/h1/system/cgroup.procs'),
    join(machine.root, 'memory/vplane-lab/h1/system/cgroup.procs'),
  ])
  expect(cgroups.nodeGroup('h1-0')).toBe('/vplane-lab/h1/h1-0')
})

test('finds the processes of all groups of a cluster, each once, and of no other cluster', async () => {
  await using machine = await fakeMachine({
    'cpu/cgroup.procs': '1\n',
    'cpu/vplane-lab/h1/system/cgroup.procs': '12\n13\n',
    'memory/cgroup.procs': '1\n',
    'memory/vplane-lab/h1/system/cgroup.procs': '12\n',
    'memory/vplane-lab/h1/h1-0/kubepods/pod1/cgroup.procs': '14\n',
    'memory/vplane-lab/h2/system/cgroup.procs': '99\n',
  })

  expect(new Set(clusterCgroups('h1', machine.root).processes())).toEqual(new Set([12, 13, 14]))
})

test('removes groups from within, and leaves those of other clusters', async () => {
  await using machine = await fakeMachine({ 'cpu/cgroup.procs': '1\n' })
  await machine.folder('cpu/vplane-lab/h1/h1-0/kubepods/pod1')
  await machine.folder('cpu/vplane-lab/h2/system')

  await clusterCgroups('h1', machine.root).remove(SIGNAL)

  expect(machine.has('cpu/vplane-lab/h1')).toBe(false)
  expect(machine.has('cpu/vplane-lab/h2/system')).toBe(true)
})

test('leaves nothing with the last cluster, and has nothing to do when there is none', async () => {
  await using machine = await fakeMachine({ 'cpu/cgroup.procs': '1\n' })
  await machine.folder('cpu/vplane-lab/h1/system')
  const cgroups = clusterCgroups('h1', machine.root)

  await cgroups.remove(SIGNAL)
  await cgroups.remove(SIGNAL)

  expect(machine.has('cpu/vplane-lab')).toBe(false)
  expect(cgroups.processes()).toEqual([])
})

/** Folders and files as the kernel shows them. */
async function fakeMachine(files: Record<string, string>) {
  const place = await mkdtempDisposable(join(tmpdir(), 'lab-cgroups-'))
  const root = place.path
  const folder = async (path: string) => {
    await mkdir(join(root, path), { recursive: true })
  }
  const write = async (path: string, text: string) => {
    await folder(dirname(path))
    await writeFile(join(root, path), text)
  }
  for (const [path, text] of Object.entries(files)) {
    await write(path, text)
  }
  return {
    root,
    folder,
    write,
    read: (path: string) => readFile(join(root, path), 'utf8'),
    has: (path: string) => existsSync(join(root, path)),
    [Symbol.asyncDispose]: () => place.remove(),
  }
}
