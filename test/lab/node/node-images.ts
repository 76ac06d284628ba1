import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { hasErrorCode } from '../../../src/shared/errors.ts'
import { writeFile } from '../../../src/shared/files/write-file.ts'
import type { LabCluster } from '../cluster/lab-cluster.ts'
import { type ImageSeed, plantSeed } from '../images/seed.ts'
import { importImage, type LabNode } from './start-node.ts'

/** Gives new nodes their images, before their containerd runs for the first time. */
export async function plantImages(
  cluster: LabCluster,
  nodes: readonly LabNode[],
  ensureSeed: () => Promise<ImageSeed>,
): Promise<void> {
  for (const node of nodes) {
    const { lib } = cluster.folder.node(node.plan.name)
    const folder = join(lib, 'containerd')
    if (!existsSync(folder)) {
      await remember(cluster, node, await plantOne(ensureSeed, folder))
    }
  }
}

/** Plants a seed, another one if a lab with newer images removes it meanwhile. Returns which archives it has. */
async function plantOne(ensureSeed: () => Promise<ImageSeed>, folder: string): Promise<string[]> {
  for (;;) {
    const seed = await ensureSeed()
    try {
      await plantSeed(seed, folder)
      return seed.archives
    } catch (error) {
      if (existsSync(seed.folder)) {
        throw error
      }
    }
  }
}

/** Imports those archives that a node does not have yet. */
export async function importMissing(
  cluster: LabCluster,
  node: LabNode,
  archives: readonly string[],
): Promise<void> {
  const known = imported(cluster, node)
  for (const archive of archives.filter((path) => !known.includes(basename(path)))) {
    await importImage(cluster, node, archive)
    known.push(basename(archive))
    await remember(cluster, node, known)
  }
}

function imported(cluster: LabCluster, node: LabNode): string[] {
  try {
    const names: string[] = JSON.parse(readFileSync(listOf(cluster, node), 'utf8'))
    return names
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) {
      return []
    }
    throw error
  }
}

async function remember(
  cluster: LabCluster,
  node: LabNode,
  names: readonly string[],
): Promise<void> {
  await writeFile(listOf(cluster, node), JSON.stringify(names))
}

function listOf({ folder }: LabCluster, { plan }: LabNode): string {
  return join(folder.node(plan.name).root, 'images.json')
}
