import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Config } from '@oclif/core/config'
import { packageRoot } from '../../shared/package-root.ts'

/** A command that can be run with its words. */
export interface RunnableCommand {
  id: string
  start(argv: string[], config: Config): Promise<unknown>
}

/** The class of a command, found by its place: `config:get` is commands/config/get. */
export async function loadCommand(id: string): Promise<RunnableCommand> {
  const isSource = import.meta.url.endsWith('.ts')
  const folder = join(packageRoot(), isSource ? 'src' : 'dist', 'commands')
  const file = `${join(folder, ...id.split(':'))}.${isSource ? 'ts' : 'js'}`
  const module: { default: RunnableCommand } = await import(pathToFileURL(file).href)
  module.default.id = id
  return module.default
}
