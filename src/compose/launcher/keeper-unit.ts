import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { Environment } from '../../shared/environment.ts'
import { folderVariables, type Paths } from '../../shared/paths.ts'
import type { KeeperCommand } from './keeper-command.ts'
import { keeperPlace } from './keeper-place.ts'

export const KEEPER_UNIT = 'vplane-keeper.service'

export interface KeeperUnitOptions {
  command: KeeperCommand
  environment: Environment
  paths: Paths
}

/** Returns where the user's systemd reads the unit of the keeper. */
export function keeperUnitPath({ XDG_CONFIG_HOME: config = '' }: Environment): string {
  const folder = isAbsolute(config) ? config : join(homedir(), '.config')
  return join(folder, 'systemd', 'user', KEEPER_UNIT)
}

/** The systemd unit that runs the keeper. It has no variables with credentials: they would be in a readable file. */
export function keeperUnit({ command, environment, paths }: KeeperUnitOptions): string {
  const { args, node } = command
  const words = [quoted(node), ...args.map((word) => quoted(word).replaceAll('$', '$$$$'))]
  const variables = Object.entries(folderVariables(environment, paths))
  const { log } = keeperPlace(paths.data)
  return `# vplane writes this file. To change the service: systemctl --user edit ${KEEPER_UNIT}
[Unit]
Description=The keeper of vplane's control planes
StartLimitIntervalSec=10min
StartLimitBurst=20

[Service]
Type=exec
ExecStart=${words.join(' ')}
${variables.map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}\n`).join('')}StandardOutput=append:${withoutSpecifiers(log)}
StandardError=inherit
Restart=on-failure
RestartSec=5s
# The control planes that it starts are processes of this unit, and continue without it.
KillMode=process
OOMPolicy=continue
TasksMax=infinity

[Install]
WantedBy=default.target
`
}

/** Quotes a word for systemd. */
function quoted(word: string): string {
  const escaped = word.replaceAll(/[\\"]/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`)
  return `"${withoutSpecifiers(escaped)}"`
}

function withoutSpecifiers(text: string): string {
  return text.replaceAll('%', '%%')
}
