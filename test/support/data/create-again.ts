import { join } from 'node:path'
import type { Cli } from '../cli/cli.ts'

/** Creates a local plane `again` from a bundle of another one. */
export async function createAgain(cli: Cli, name: string): Promise<void> {
  const bundle = join(cli.root, `${name}.bundle`)
  const env = { VPLANE_PASSPHRASE: 'correct horse battery staple' }
  await cli.ok(['snapshot', 'create', name, '--bundle', '-o', bundle], { env })
  const args = ['restore', '--from', bundle, '--name', 'again', '--driver', 'local', '--yes']
  await cli.ok(args, { env })
}
