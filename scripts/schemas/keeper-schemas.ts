import { z } from 'zod'
import type { KeeperResult } from '../../src/cli/results/keeper-result.ts'
import type { KeeperUninstallResult } from '../../src/commands/keeper/uninstall.ts'
import { resultOf } from './result-of.ts'

const keeper = resultOf<KeeperResult>()(
  z.strictObject({
    running: z.boolean().describe('Whether a keeper runs, by its service or by a command.'),
    installed: z.boolean().describe('Whether it has a service.'),
    file: z.string().describe('The file of the unit.'),
    current: z.boolean().describe('Whether the service starts this vplane, with its folders.'),
    enabled: z.boolean().describe('Whether the service starts by itself.'),
    state: z.string().nullable().describe('As systemd names it; null without a service.'),
    lingering: z.boolean().describe('Whether it starts with the machine, without a login.'),
  }),
)

/** The results of the commands for the keeper of this machine. */
export const KEEPER_SCHEMAS: Record<string, z.ZodType> = {
  'keeper-install': keeper,
  'keeper-status': keeper,
  'keeper-uninstall': resultOf<KeeperUninstallResult>()(
    z.strictObject({ removed: z.boolean().describe('Whether the service existed.') }),
  ),
}
