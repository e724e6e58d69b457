import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { UserAttributesService } from './user-attributes.service';

@Controller()
export class UserAttributesController implements Operations<'control-plane', 'User Attributes'> {
  constructor(private readonly attributes: UserAttributesService) {}

  @Operation('getUserAttributes')
  getUserAttributes({ principal, query }: Call<'getUserAttributes'>) {
    return this.attributes.list(principal, query);
  }

  @Operation('createUserAttribute')
  createUserAttribute({ principal, body }: Call<'createUserAttribute'>) {
    return this.attributes.create(principal, body);
  }

  @Operation('updateUserAttribute')
  updateUserAttribute({ principal, path, body }: Call<'updateUserAttribute'>) {
    return this.attributes.update(principal, path.id, body);
  }

  @Operation('deleteUserAttribute')
  deleteUserAttribute({ principal, path }: Call<'deleteUserAttribute'>) {
    return this.attributes.delete(principal, path.id);
  }
}
