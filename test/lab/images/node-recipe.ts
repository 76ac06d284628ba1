import type { DebianTools } from '../machine/debian-tools.ts'
import { runCommand } from '../machine/run-command.ts'
import type { ImageRecipe } from './lab-images.ts'

export const NODE_IMAGE = 'docker.io/library/node:24-alpine'

/** An image with the Node.js that runs this, and the libraries of this machine that it needs. */
export async function nodeRecipe(tools: DebianTools): Promise<ImageRecipe> {
  const libraries = sharedLibraries(await runCommand(tools.pathOf('ldd'), [process.execPath]))
  return {
    name: NODE_IMAGE,
    programs: {
      'usr/local/bin/node': process.execPath,
      ...Object.fromEntries(libraries.map((path) => [path.slice(1), path])),
    },
    entrypoint: ['/usr/local/bin/node'],
  }
}

/** The paths of shared libraries, and of what loads them, in the words of `ldd`. */
export function sharedLibraries(said: string): string[] {
  return said.split('\n').flatMap((line) => /(?:=> )?(\/\S+) \(0x/.exec(line)?.[1] ?? [])
}
