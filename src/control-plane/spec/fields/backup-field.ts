import * as z from 'zod'
import { objectName } from './workload-fields.ts'
import { isSchedule } from './backup-schedule.ts'

function count(description: string) {
  return z.int().min(0).max(1000).optional().describe(description)
}

/** The schema of `backup` in a user's spec. */
export const backupField = z
  .strictObject({
    schedule: z
      .string()
      .refine(
        isSchedule,
        'is neither "hourly", "daily" or "weekly", nor a cron schedule such as "30 3 * * *"',
      )
      .describe(
        '"hourly", "daily", "weekly", or a cron schedule in UTC with five fields, or six if seconds come first.',
      ),
    store: z
      .string()
      .regex(
        /^s3:\/\/[a-z0-9][a-z0-9.-]+(\/.*)?$/,
        'is not a location such as "s3://BUCKET/PREFIX"',
      )
      .optional()
      .describe(
        'Location of the backups: "s3://BUCKET/PREFIX". The default is this machine, which works only with the local driver.',
      ),
    keep: z
      .strictObject({
        hourly: count('For how many hours with backups the last one stays.'),
        daily: count('For how many days with backups the last one stays.'),
        weekly: count('For how many weeks with backups the last one stays.'),
      })
      .optional()
      .describe(
        'How many backups remain: the last one of each of so many hours, days and weeks that have any. The default is 24, 7 and 4. The newest backup always remains.',
      ),
    secret: objectName()
      .optional()
      .describe(
        'Secret in the host namespace with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, and, if needed, AWS_SESSION_TOKEN, AWS_REGION and AWS_ENDPOINT_URL_S3. Only with the kubernetes driver.',
      ),
  })
  .optional()
  .describe('Backs up the data of the plane on a schedule while the plane runs.')
