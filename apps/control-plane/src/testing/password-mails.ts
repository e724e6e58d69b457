import { taskStoreOf } from '@plinth/database';
import type { TaskSubject } from '@plinth/testing';
import { controlPlaneSchema } from '../control-plane.schema';
import { PasswordMailsRepository, type PasswordMail } from '../sign-in/passwords/password-mails.repository';

export const subject: TaskSubject<PasswordMail, void> = {
  kind: 'password-mail',
  schema: controlPlaneSchema,
  table: 'password_mail',
  isScheduled: true,
  storeOf: (database) => taskStoreOf(database, new PasswordMailsRepository()),
  result: undefined,
  add: async (database, tenantId) => {
    const text = `with person as (
        insert into user_account (tenant_id, email, username)
        select $1, name, name from (select gen_random_uuid() || '@acme.test' as name) names returning id
      )
      insert into password_mail (tenant_id, user_id, purpose, sealed_url, message_id, expires_at)
      select $1, id, 'invitation', 'sealed', id || '@plinth.test', now() + interval '1 day' from person`;
    await database.readAsSystem({ name: 'new-password-mail', text }, [tenantId]);
  },
};
