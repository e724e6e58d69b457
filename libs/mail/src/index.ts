export { isMailAddress, mailAddress, maskedAddress, parseSender, type Sender } from './addresses';
export { mailSettings, type MailConfig } from './mail.config';
export { MailFailure } from './mail-failure';
export { Mailer, type Attachment, type Mail } from './mailer';
export { newMessageId } from './message-id';
export { mailPage, mailText } from './mail-page';
