import { describeOnHost } from '../../lab/describe-lab.ts'
import { testDeclaredDatabase } from '../../support/databases/declared-database-life.ts'

describeOnHost('declared planes with MariaDB', { shuffle: false }, () => {
  testDeclaredDatabase('mysql', { isWoken: true })
})
