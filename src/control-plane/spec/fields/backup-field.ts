import { z } from 'zod'
import { objectName } from './workload-fields.ts'
import { isSchedule } from './backup-schedule.ts'

const count = z.int().min(0).max(1000).optional()

/** What a user's spec says of backups. */
export const backupField = z
  .strictObject({
    schedule: z
      .string()
      .refine(
        isSchedule,
        'is neither "hourly", "daily" or "weekly", nor a cron schedule such as "30 3 * * *"',
      )
      .describe(
        'When: "hourly", "daily", "weekly", or cron with five fields, or six with seconds in front; in UTC.',
      ),
    store: z
      .string()
      .regex(/^s3:\/\/[a-z0-9][a-z0-9.-]+(\/.*)?$/, 'is not a place such as "s3://BUCKET/PREFIX"')
      .optional()
      .describe(
        'Where to: "s3://BUCKET/PREFIX". Without it vplane keeps them on this machine, which only a plane of the local driver can.',
      ),
    keep: z
      .strictObject({ hourly: count, daily: count, weekly: count })
      .optional()
      .describe(
        'How many stay: the last of each of so many hours, days and weeks that have any; by default 24, 7 and 4. The newest always does.',
      ),
    secret: objectName()
      .optional()
      .describe(
        'Secret of the host namespace with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, and AWS_SESSION_TOKEN, AWS_REGION and AWS_ENDPOINT_URL_S3 as far as they are needed. Only with the kubernetes driver.',
      ),
  })
  .optional()
  .describe('Copies the data of the plane by a schedule, as long as the plane runs.')
